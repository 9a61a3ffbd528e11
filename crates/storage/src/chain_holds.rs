//! Notes which chain the current listing of a property is in, and since when (S-60).
//!
//! Of several notes in one second the last one counts. A row never comes before an older one of its
//! property, even if the clock of its node is behind, and none comes at a time of which an answer gave the state.

use chain::ids::{ChainId, ListingId, PropertyId};

use crate::engine::{EachRow, each_row};
use crate::{Result, Write};

/// An `insert` of the rows of `given`, which it joins with properties `p`.
macro_rules! hold {
    ($listing:literal, $chain:literal) => {
        concat!(
            "insert into chain_holds (property_id, since, listing_id, chain_id) select p.id, \
             coalesce((select max(h.since) from chain_holds h where h.property_id = p.id \
             and h.since > given.at), given.at), ",
            $listing,
            ", ",
            $chain,
            " from "
        )
    };
}

/// The end of these statements.
macro_rules! last_counts {
    ($joins:literal) => {
        concat!(
            $joins,
            " where p.id > 0 on conflict (property_id, since) do update \
             set listing_id = excluded.listing_id, chain_id = excluded.chain_id"
        )
    };
}

const HOLD_CURRENT: EachRow = each_row!(
    hold!("l.id", "l.chain_id"),
    ["$1" which bigint, "$2" at bigint],
    last_counts!(
        " join property p on p.id = given.which left join listing l on l.id = p.current_listing_id"
    )
);
const HOLD_MERGED: EachRow = each_row!(
    hold!("l.id", "given.survivor"),
    ["$1" survivor text, "$2" dissolved text, "$3" at bigint],
    last_counts!(
        " join listing l on l.chain_id = given.dissolved \
         join property p on p.current_listing_id = l.id and p.id = l.property_id"
    )
);
const HOLD_MOVED: EachRow = each_row!(
    hold!("l.id", "given.chain"),
    ["$1" listing bigint, "$2" chain text, "$3" at bigint],
    last_counts!(
        " join listing l on l.id = given.listing \
         join property p on p.current_listing_id = l.id and p.id = l.property_id"
    )
);

/// Notes the chains of the current listings of these properties, after a decision about them.
pub(crate) fn note_current(
    write: &mut Write<'_>,
    properties: &[PropertyId],
    now: i64,
) -> Result<()> {
    let time = write.recording_time(now)?;
    let rows: Vec<_> = properties
        .iter()
        .map(|property| [(*property).into(), time.into()])
        .collect();
    write.execute_each(HOLD_CURRENT, &rows)
}

/// Notes that a listing moves into another chain.
pub(crate) fn note_move(
    write: &mut Write<'_>,
    listing: ListingId,
    chain: ChainId,
    now: i64,
) -> Result<()> {
    let (key, time) = (chain.to_string(), write.recording_time(now)?);
    write.execute_each(HOLD_MOVED, &[[listing.into(), (&key).into(), time.into()]])
}

/// Notes that all listings of dissolved chains move into their survivors, for each pair of a survivor and a
/// dissolved chain. The listings have not moved yet.
pub(crate) fn note_merges(write: &mut Write<'_>, merged: &[[String; 2]], now: i64) -> Result<()> {
    let time = write.recording_time(now)?;
    let rows = merged
        .iter()
        .map(|[survivor, dissolved]| [survivor.into(), dissolved.into(), time.into()]);
    write.execute_each(HOLD_MERGED, &rows.collect::<Vec<_>>())
}
