//! Writes many lines of history.

use crate::engine::{EachRow, each_row, insert_each};
use crate::history::{self, NewEntry};
use crate::row::Value;
use crate::{Result, Write};

const INSERT_LINES: EachRow = insert_each!(
    "history",
    ["$1" id bigint, "$2" listing_id bigint, "$3" chain_id text, "$4" action text, "$5" actor text,
     "$6" detail text, "$7" recorded_at bigint]
);
const SHOW_TO_CHAINS: EachRow = each_row!(
    "insert into new_change (branch_id, line_id) select distinct l.branch_id, given.line from ",
    ["$1" line bigint, "$2" which bigint],
    " join listing o on o.id = given.which join listing l on l.chain_id = o.chain_id \
     and (l.deleted_at is null or l.id = o.id)"
);
const SHOW_TO_BRANCHES: EachRow = each_row!(
    "insert into new_change (branch_id, line_id) select l.branch_id, given.line from ",
    ["$1" line bigint, "$2" which bigint],
    " join listing l on l.id = given.which"
);

/// As [`history::append_history`] for each of these entries, in their order.
pub fn append_lines(write: &mut Write<'_>, entries: &[NewEntry<'_>], now: i64) -> Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let ids = write.reserve_ids("history", entries.len())?;
    let chains: Vec<_> = entries
        .iter()
        .map(|entry| entry.chain.to_string())
        .collect();
    let rows = ids.iter().zip(entries).zip(&chains);
    let rows: Vec<_> = rows
        .map(|((id, entry), chain)| -> [Value<'_>; 7] {
            [
                (*id).into(),
                entry.listing.into(),
                chain.into(),
                entry.action.into(),
                entry.actor.into(),
                entry.detail.into(),
                now.into(),
            ]
        })
        .collect();
    write.execute_each(INSERT_LINES, &rows)?;
    let lines = ids.iter().zip(entries);
    let (shared, own): (Vec<_>, Vec<_>) = lines.partition(|(_, entry)| history::is_shared(entry));
    for (statement, lines) in [(SHOW_TO_CHAINS, shared), (SHOW_TO_BRANCHES, own)] {
        let lines = lines.into_iter();
        let rows: Vec<_> = lines
            .map(|(id, entry)| [(*id).into(), entry.listing.into()])
            .collect();
        write.execute_each(statement, &rows)?;
    }
    Ok(())
}
