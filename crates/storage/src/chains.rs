//! Chains: their ids, their versions, and which listings they hold.

use chain::ids::{BranchId, ChainId, ListingId, PropertyId};

use crate::{Read, Result, Write};

/// Adds a chain without listings.
pub fn insert_chain(write: &mut Write<'_>, chain: ChainId) -> Result<()> {
    write.execute(
        "insert into chain (id, version) values ($1, 1)",
        &[(&chain.to_string()).into()],
    )?;
    Ok(())
}

/// Raises a chain's version. Every change of anything that its state shows
/// calls this in the same transaction, because nodes cache by version.
pub fn raise_version(write: &mut Write<'_>, chain: ChainId) -> Result<()> {
    write.execute(
        "update chain set version = version + 1 where id = $1",
        &[(&chain.to_string()).into()],
    )?;
    Ok(())
}

/// Raises the version of the chain that a listing belongs to.
pub fn raise_version_of_listing(write: &mut Write<'_>, listing: ListingId) -> Result<()> {
    write.execute(
        "update chain set version = version + 1 \
         where id = (select chain_id from listing where id = $1)",
        &[listing.into()],
    )?;
    Ok(())
}

/// Raises the versions of all chains that show a branch.
pub(crate) fn raise_versions_of_branch(write: &mut Write<'_>, branch: BranchId) -> Result<()> {
    write.execute(
        "update chain set version = version + 1 \
         where id in (select chain_id from listing where branch_id = $1)",
        &[branch.into()],
    )?;
    Ok(())
}

/// Raises the versions of all chains that show a property.
pub(crate) fn raise_versions_of_property(
    write: &mut Write<'_>,
    property: PropertyId,
) -> Result<()> {
    write.execute(
        "update chain set version = version + 1 \
         where id in (select chain_id from listing where property_id = $1)",
        &[property.into()],
    )?;
    Ok(())
}

/// Moves every listing of `dissolved` into `survivor` and removes the former.
/// The survivor's version is not raised here.
pub fn merge_chains(write: &mut Write<'_>, dissolved: ChainId, survivor: ChainId) -> Result<()> {
    write.execute(
        "update listing set chain_id = $1 where chain_id = $2",
        &[
            (&survivor.to_string()).into(),
            (&dissolved.to_string()).into(),
        ],
    )?;
    write.execute(
        "delete from chain where id = $1",
        &[(&dissolved.to_string()).into()],
    )?;
    Ok(())
}

/// Moves one listing into another chain. No version is raised here.
pub(crate) fn move_listing(
    write: &mut Write<'_>,
    listing: ListingId,
    chain: ChainId,
) -> Result<()> {
    write.execute(
        "update listing set chain_id = $1 where id = $2",
        &[(&chain.to_string()).into(), listing.into()],
    )?;
    Ok(())
}

/// The chain of a listing.
pub fn find_chain_of_listing(read: &mut Read<'_>, listing: ListingId) -> Result<Option<ChainId>> {
    read.query_one(
        "select chain_id from listing where id = $1",
        &[listing.into()],
        |row| row.parsed(0),
    )
}
