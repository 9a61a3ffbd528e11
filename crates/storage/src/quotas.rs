//! Counts the rows that callers add, for their quotas (S-65).

use chain::ids::BranchId;

use crate::{Read, Result, Write};

/// A kind of row that a branch adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// A listing.
    Listing = 1,
    /// A property that nobody knew.
    Property = 2,
}

/// Notes that a branch added a row.
pub fn note_added(write: &mut Write<'_>, branch: BranchId, added: Added, now: i64) -> Result<()> {
    write.execute(
        "insert into added (branch_id, kind, added_at) values ($1, $2, $3)",
        &[branch.into(), (added as i64).into(), now.into()],
    )?;
    Ok(())
}

/// The rows that a branch added after that time, at most `limit`. A transaction that also adds one would
/// conflict with all others of the branch, so callers count before it.
pub fn count_added(
    read: &mut Read<'_>,
    branch: BranchId,
    added: Added,
    since: i64,
    limit: i64,
) -> Result<i64> {
    read.query_integer(
        "select count(*) from (select 1 from added \
         where branch_id = $1 and kind = $2 and added_at > $3 limit $4) counted",
        &[
            branch.into(),
            (added as i64).into(),
            since.into(),
            limit.into(),
        ],
    )
}

/// Deletes notes from before: `limit` of them, and others of the same branch and second. Returns their
/// number.
pub fn delete_added(write: &mut Write<'_>, before: i64, limit: i64) -> Result<u64> {
    write.execute(
        "delete from added where (branch_id, kind, added_at) in \
         (select branch_id, kind, added_at from added where added_at < $1 \
         order by added_at limit $2)",
        &[before.into(), limit.into()],
    )
}

/// The bytes of the answers that are kept for a client's repetitions (S-52).
pub fn count_kept_bytes(read: &mut Read<'_>, client_id: &str) -> Result<i64> {
    read.query_integer(
        "select coalesce(cast(sum(bytes) as bigint), 0) from idempotency where client_id = $1",
        &[client_id.into()],
    )
}
