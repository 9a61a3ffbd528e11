//! The lines of history that each branch may read, numbered for each branch (S-93).
//!
//! PostgreSQL gives ids to lines before their commit, so a line may appear behind the back of a reader that has
//! seen a higher id. Hence a write only adds rows to `new_change`. When a branch reads, its committed rows move
//! to `branch_change` and get the next numbers. A later commit then gets a higher number, on both engines.

use chain::ids::BranchId;

use crate::history::{self, HistoryEntry};
use crate::{Read, Result, Write};

/// A line that a branch may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchChange {
    /// Its number among the lines of the branch, from 1.
    pub number: i64,
    /// The line.
    pub entry: HistoryEntry,
}

/// Whether a branch has lines without a number.
pub fn has_new_lines(read: &mut Read<'_>, branch: BranchId) -> Result<bool> {
    read.exists(
        "select 1 from new_change where branch_id = $1 limit 1",
        &[branch.into()],
    )
}

/// Numbers at most `limit` new lines of a branch, those with the lowest ids first. It locks the row of the
/// branch's last number first, and decides by nothing else.
pub fn number_new_lines(write: &mut Write<'_>, branch: BranchId, limit: i64) -> Result<()> {
    write.execute(
        "insert into branch_change_count (branch_id, numbered) values ($1, 0) \
         on conflict (branch_id) do update set numbered = branch_change_count.numbered",
        &[branch.into()],
    )?;
    let last = find_last_number(write, branch)?;
    let moved = write.execute(
        "insert into branch_change (branch_id, number, line_id) \
         select branch_id, $1 + row_number() over (order by line_id), line_id from new_change \
         where branch_id = $2 order by line_id limit $3",
        &[last.into(), branch.into(), limit.into()],
    )?;
    write.execute(
        "delete from new_change where branch_id = $1 and line_id in \
         (select line_id from branch_change where branch_id = $2 and number > $3)",
        &[branch.into(), branch.into(), last.into()],
    )?;
    write.execute(
        "update branch_change_count set numbered = $1 where branch_id = $2",
        &[(last + moved.cast_signed()).into(), branch.into()],
    )?;
    Ok(())
}

/// The highest number that a line of a branch has had; 0 if none has.
pub fn find_last_number(read: &mut Read<'_>, branch: BranchId) -> Result<i64> {
    let found = read.query_one(
        "select numbered from branch_change_count where branch_id = $1",
        &[branch.into()],
        |row| row.integer(0),
    )?;
    Ok(found.unwrap_or_default())
}

/// The id of the line with this number. `None` if there is none, or if it was removed.
pub fn find_line(read: &mut Read<'_>, branch: BranchId, number: i64) -> Result<Option<i64>> {
    read.query_one(
        "select line_id from branch_change where branch_id = $1 and number = $2",
        &[branch.into(), number.into()],
        |row| row.integer(0),
    )
}

/// At most `limit` lines of a branch with numbers above `after`, recorded at `since` (Unix seconds) or later.
pub fn list_changes(
    read: &mut Read<'_>,
    branch: BranchId,
    after: i64,
    since: i64,
    limit: i64,
) -> Result<Vec<BranchChange>> {
    let rows = read.query(
        "select h.id, h.listing_id, h.chain_id, h.action, h.actor, p.name, h.detail, \
         h.recorded_at, c.number from branch_change c join history h on h.id = c.line_id \
         left join client t on t.id = h.actor left join participant p on p.id = t.participant_id \
         where c.branch_id = $1 and c.number > $2 and h.recorded_at >= $3 \
         order by c.number limit $4",
        &[branch.into(), after.into(), since.into(), limit.into()],
        |row| Ok((row.integer(8)?, history::read_entry(row)?)),
    )?;
    let (numbers, mut entries): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    history::name_people(read, &mut entries)?;
    let numbered = numbers.into_iter().zip(entries);
    Ok(numbered
        .map(|(number, entry)| BranchChange { number, entry })
        .collect())
}

/// How often the store was restored, as `raise_counters` of [`Write`] counts.
pub fn count_restores(read: &mut Read<'_>) -> Result<i64> {
    let found = read.query_one(
        "select value from counter where name = 'restores'",
        &[],
        |row| row.integer(0),
    )?;
    Ok(found.unwrap_or_default())
}

/// Removes at most `limit` rows of lines with ids below `before`, and as many numbered ones. Returns how many.
pub fn delete_old(write: &mut Write<'_>, before: i64, limit: i64) -> Result<u64> {
    let fresh = write.execute(
        "delete from new_change where (branch_id, line_id) in (select c.branch_id, c.line_id \
         from branch b cross join new_change c where c.branch_id = b.id and c.line_id < $1 limit $2)",
        &[before.into(), limit.into()],
    )?;
    let numbered = write.execute(
        "delete from branch_change where (branch_id, number) in (select c.branch_id, c.number \
         from branch_change_count b cross join branch_change c where c.branch_id = b.branch_id \
         and c.number < coalesce((select k.number from branch_change k where k.branch_id = b.branch_id \
         and k.line_id >= $1 order by k.number limit 1), b.numbered + 1) limit $2)",
        &[before.into(), limit.into()],
    )?;
    Ok(fresh + numbered)
}
