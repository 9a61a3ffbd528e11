//! Chains: their ids, versions and listings.

use chain::ids::{BranchId, ChainId, ListingId, PropertyId};

use crate::engine::{EachRow, each_row};
use crate::{Read, Result, Write};

const RAISE_VERSIONS: EachRow = each_row!(
    "update chain set version = version + 1 where id in (select given.which from ",
    ["$1" which text],
    ")"
);

/// Inserts a chain without listings. Its changes in this transaction have begun.
pub fn insert_chain(write: &mut Write<'_>, chain: ChainId) -> Result<()> {
    write.execute(
        "insert into chain (id, version) values ($1, 1)",
        &[(&chain.to_string()).into()],
    )?;
    write.note_change(chain);
    Ok(())
}

/// Begins a change of a chain: raises its version, once in a transaction, because nobody sees the state
/// between two changes of one transaction.
///
/// Every change of anything that the chain shows must begin so, in the same transaction and before it
/// changes anything. Nodes cache states by version.
pub fn begin_change(write: &mut Write<'_>, chain: ChainId) -> Result<()> {
    if write.note_change(chain) {
        write.execute(
            "update chain set version = version + 1 where id = $1",
            &[(&chain.to_string()).into()],
        )?;
    }
    Ok(())
}

/// Begins a change of the chain of a listing, as [`begin_change`].
pub(crate) fn begin_change_of_listing(write: &mut Write<'_>, listing: ListingId) -> Result<()> {
    match find_chain_of_listing(write, listing)? {
        Some(chain) => begin_change(write, chain),
        None => Ok(()),
    }
}

/// Begins changes of all chains that show a branch, as [`begin_change`].
pub(crate) fn begin_changes_of_branch(write: &mut Write<'_>, branch: BranchId) -> Result<()> {
    let chains = write.query(
        "select distinct chain_id from listing where branch_id = $1",
        &[branch.into()],
        |row| row.parsed(0),
    )?;
    begin_changes(write, &chains)
}

/// Begins changes of all chains that show a property, as [`begin_change`].
pub(crate) fn begin_changes_of_property(
    write: &mut Write<'_>,
    property: PropertyId,
) -> Result<()> {
    let chains = write.query(
        "select distinct chain_id from listing where property_id = $1",
        &[property.into()],
        |row| row.parsed(0),
    )?;
    begin_changes(write, &chains)
}

/// Begins changes of many chains, as [`begin_change`].
pub fn begin_changes(write: &mut Write<'_>, chains: &[ChainId]) -> Result<()> {
    let mut keys = Vec::new();
    for chain in chains {
        if write.note_change(*chain) {
            keys.push(chain.to_string());
        }
    }
    let rows: Vec<_> = keys.iter().map(|key| [key.into()]).collect();
    write.execute_each(RAISE_VERSIONS, &rows)
}

/// Moves every listing of `dissolved` into `survivor` and deletes `dissolved`. The caller began the changes
/// of both.
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

/// Moves a listing into another chain. The caller began the changes of both.
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
