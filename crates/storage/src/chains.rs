//! Chains: their ids, versions and listings.

use chain::ids::{BranchId, ChainId, ListingId, PropertyId};

use crate::{Read, Result, Write};

/// Inserts a chain without listings.
pub fn insert_chain(write: &mut Write<'_>, chain: ChainId) -> Result<()> {
    write.execute(
        "insert into chain (id, version) values ($1, 1)",
        &[(&chain.to_string()).into()],
    )?;
    Ok(())
}

/// Raises a chain's version. Every change of its state must do so in the same transaction, because
/// nodes cache states by version.
pub fn raise_version(write: &mut Write<'_>, chain: ChainId) -> Result<()> {
    write.execute(
        "update chain set version = version + 1 where id = $1",
        &[(&chain.to_string()).into()],
    )?;
    Ok(())
}

/// Raises the version of a listing's chain.
pub(crate) fn raise_version_of_listing(write: &mut Write<'_>, listing: ListingId) -> Result<()> {
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

/// Moves every listing of `dissolved` into `survivor` and deletes `dissolved`. The caller raises the
/// version of `survivor`.
pub(crate) fn merge_chains(
    write: &mut Write<'_>,
    dissolved: ChainId,
    survivor: ChainId,
) -> Result<()> {
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

/// Moves a listing into another chain. The caller raises versions.
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

/// Finds the chain of a listing.
pub fn find_chain_of_listing(read: &mut Read<'_>, listing: ListingId) -> Result<Option<ChainId>> {
    read.query_one(
        "select chain_id from listing where id = $1",
        &[listing.into()],
        |row| row.parsed(0),
    )
}

/// The version of a chain; `None` if it does not exist.
pub fn find_version(read: &mut Read<'_>, chain: ChainId) -> Result<Option<i64>> {
    read.query_one(
        "select version from chain where id = $1",
        &[(&chain.to_string()).into()],
        |row| row.integer(0),
    )
}
