//! Chains: their ids, versions and listings.

use chain::ids::{BranchId, ChainId, ListingId};

use crate::engine::{EachRow, each_row};
use crate::{Read, Result, Write, chain_holds, sealing};

const FIND_PRESENT: EachRow = each_row!(
    "select c.changed_at, u.chain_id from ",
    ["$1" which text],
    " join chain c on c.id = given.which left join unsealed u on u.chain_id = c.id"
);
const MARK_UNSEALED: EachRow = each_row!(
    "insert into unsealed (chain_id, version) select c.id, c.version + 1 from ",
    ["$1" which text],
    " join chain c on c.id = given.which where c.version > 0 \
     on conflict (chain_id) do update set version = excluded.version"
);
const RAISE_VERSIONS: EachRow = each_row!(
    "update chain set version = version + 1, changed_at = given.at from ",
    ["$1" at bigint, "$2" which text],
    " where chain.id = given.which"
);

/// Inserts a chain without listings. Its changes in this transaction have begun.
pub fn insert_chain(write: &mut Write<'_>, chain: ChainId, now: i64) -> Result<()> {
    let (key, time) = (chain.to_string(), write.recording_time(now)?);
    write.execute(
        "insert into chain (id, version, changed_at) values ($1, 1, $2)",
        &[(&key).into(), time.into()],
    )?;
    write.execute(
        "insert into unsealed (chain_id, version) values ($1, 1)",
        &[(&key).into()],
    )?;
    write.note_change(chain);
    Ok(())
}

/// Begins a change of a chain: raises its version, once in a transaction, because nobody sees the state
/// between two changes of one transaction. A present version that nobody has sealed is sealed first (S-60).
///
/// Every change of anything that the chain shows must begin so, in the same transaction and before it
/// changes anything. Nodes cache states by version.
pub fn begin_change(write: &mut Write<'_>, chain: ChainId, now: i64) -> Result<()> {
    if write.changes(chain) {
        return Ok(());
    }
    let key = chain.to_string();
    let marked = write.execute(
        "insert into unsealed (chain_id, version) select id, version + 1 from chain where id = $1 \
         on conflict (chain_id) do nothing",
        &[(&key).into()],
    )?;
    if marked == 0 {
        sealing::seal_present(write, &[chain])?;
        // An update would read the whole of this small table, and conflict with writes of other nodes.
        write.execute_each(MARK_UNSEALED, &[[(&key).into()]])?;
    }
    raise_version(write, chain, now)
}

/// Begins a change of the chain of a listing, as [`begin_change`].
pub(crate) fn begin_change_of_listing(
    write: &mut Write<'_>,
    listing: ListingId,
    now: i64,
) -> Result<()> {
    // One statement in the usual case: recordings are frequent.
    let marked = write.query_one(
        "insert into unsealed (chain_id, version) select c.id, c.version + 1 from listing l \
         join chain c on c.id = l.chain_id where l.id = $1 \
         on conflict (chain_id) do nothing returning chain_id",
        &[listing.into()],
        |row| row.parsed(0),
    )?;
    if let Some(chain) = marked {
        return raise_version(write, chain, now);
    }
    match find_chain_of_listing(write, listing)? {
        Some(chain) => begin_change(write, chain, now),
        None => Ok(()),
    }
}

/// Begins changes of all chains that show a branch, as [`begin_change`].
pub(crate) fn begin_changes_of_branch(
    write: &mut Write<'_>,
    branch: BranchId,
    now: i64,
) -> Result<()> {
    let chains = write.query(
        "select distinct chain_id from listing where branch_id = $1",
        &[branch.into()],
        |row| row.parsed(0),
    )?;
    begin_changes(write, &chains, now)?;
    Ok(())
}

/// Begins changes of many chains, as [`begin_change`]. All of them get one time, which this returns: usually
/// `now`, or a later time that one of them has from a node with another clock, or of which an answer gave the
/// state. So a listing that moves from one
/// of them into another is in exactly one of them at any time.
pub fn begin_changes(write: &mut Write<'_>, chains: &[ChainId], now: i64) -> Result<i64> {
    let mut keys = Vec::new();
    for chain in chains {
        if write.note_change(*chain) {
            keys.push(chain.to_string());
        }
    }
    let rows: Vec<_> = keys.iter().map(|key| [key.into()]).collect();
    let (mut unsealed, mut time) = (Vec::new(), write.recording_time(now)?);
    write.query_each(FIND_PRESENT, &rows, |row| {
        time = time.max(row.integer(0)?);
        if row.optional_text(1)?.is_some() {
            unsealed.push(row.parsed(1)?);
        }
        Ok(())
    })?;
    sealing::seal_present(write, &unsealed)?;
    write.execute_each(MARK_UNSEALED, &rows)?;
    let rows: Vec<_> = keys.iter().map(|key| [time.into(), key.into()]).collect();
    write.execute_each(RAISE_VERSIONS, &rows)?;
    Ok(time)
}

/// Raises the version of a chain. Its time never comes before that of the version before it, and comes after
/// each time of which an answer gave the state.
fn raise_version(write: &mut Write<'_>, chain: ChainId, now: i64) -> Result<()> {
    write.note_change(chain);
    let time = write.recording_time(now)?;
    write.execute(
        "update chain set version = version + 1, \
         changed_at = case when changed_at > $1 then changed_at else $2 end where id = $3",
        &[time.into(), time.into(), (&chain.to_string()).into()],
    )?;
    Ok(())
}

/// Moves every listing of `dissolved` into `survivor` and deletes `dissolved`. The caller began the changes
/// of both, and `now` is their time.
pub(crate) fn merge_chains(
    write: &mut Write<'_>,
    dissolved: ChainId,
    survivor: ChainId,
    now: i64,
) -> Result<()> {
    sealing::seal_dissolved(write, &[(survivor, dissolved)])?;
    let keys = [survivor.to_string(), dissolved.to_string()];
    chain_holds::note_merges(write, std::slice::from_ref(&keys), now)?;
    let [survivor, dissolved] = &keys;
    write.execute(
        "update listing set chain_id = $1 where chain_id = $2",
        &[survivor.into(), dissolved.into()],
    )?;
    write.execute("delete from chain where id = $1", &[dissolved.into()])?;
    Ok(())
}

/// Moves a listing into another chain. The caller began the changes of both, and `now` is their time.
pub(crate) fn move_listing(
    write: &mut Write<'_>,
    listing: ListingId,
    chain: ChainId,
    now: i64,
) -> Result<()> {
    write.execute(
        "update listing set chain_id = $1 where id = $2",
        &[(&chain.to_string()).into(), listing.into()],
    )?;
    chain_holds::note_move(write, listing, chain, now)
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
