//! Reads the present states of many chains at once, in as many statements as one chain takes.

use std::collections::HashMap;

use chain::ids::{ChainId, ListingId};
use chain::state::Link;

use crate::engine::{EachRow, each_row};
use crate::row::Row;
use crate::state::{ChainState, assemble, read_recorded, read_shown, shown_columns};
use crate::{Read, Result};

const VERSIONS: EachRow = each_row!(
    "select c.id, c.version, c.changed_at from ",
    ["$1" which text],
    " join chain c on c.id = given.which"
);
const MEMBERS: EachRow = each_row!(
    concat!("select ", shown_columns!(), ", l.chain_id from "),
    ["$1" which text],
    " join listing l on l.chain_id = given.which join property p on p.id = l.property_id \
     join branch b on b.id = l.branch_id where coalesce(l.deleted_at, -1) = -1"
);
const LINKS: EachRow = each_row!(
    "select l.chain_id, k.seller_listing_id, k.buyer_listing_id from ",
    ["$1" which text],
    " join listing l on l.chain_id = given.which join link k on k.buyer_listing_id = l.id"
);
const MILESTONES: EachRow = each_row!(
    "select m.listing_id, m.type_id, m.date, l.chain_id from ",
    ["$1" which text],
    " join listing l on l.chain_id = given.which join milestone m on m.listing_id = l.id \
     where coalesce(l.deleted_at, m.deleted_at, -1) = -1 and m.excluded = 0"
);

/// A chain, its present version, and when that was recorded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PresentVersion {
    pub(crate) chain: ChainId,
    pub(crate) version: i64,
    /// Unix seconds.
    pub(crate) recorded_at: i64,
}

/// Finds the present versions of these chains. A chain that does not exist is missing.
pub(crate) fn find_versions(
    read: &mut Read<'_>,
    chains: &[ChainId],
) -> Result<Vec<PresentVersion>> {
    let keys: Vec<_> = chains.iter().map(ToString::to_string).collect();
    let rows: Vec<_> = keys.iter().map(|key| [key.into()]).collect();
    read.query_each(VERSIONS, &rows, |row| {
        Ok(PresentVersion {
            chain: row.parsed(0)?,
            version: row.integer(1)?,
            recorded_at: row.integer(2)?,
        })
    })
}

/// Reads the present states of these chains: `None` for a chain without listings, and an error of its own
/// for a damaged one. A chain that does not exist is missing.
pub(crate) fn read_states(
    read: &mut Read<'_>,
    chains: &[ChainId],
) -> Result<Vec<(PresentVersion, Result<Option<ChainState>>)>> {
    let versions = find_versions(read, chains)?;
    let mut members = group(read, MEMBERS, chains, 19, read_shown)?;
    let mut links = group(read, LINKS, chains, 0, read_link)?;
    let mut milestones = group(read, MILESTONES, chains, 3, read_recorded)?;
    let states = versions.into_iter().map(|present| {
        let chain = present.chain;
        let state = assemble(
            chain,
            present.version,
            members.remove(&chain).unwrap_or_default(),
            links.remove(&chain).unwrap_or_default(),
            milestones.remove(&chain).unwrap_or_default(),
        );
        (present, state)
    });
    Ok(states.collect())
}

/// Runs a statement for each chain, and groups its answers by the chain in this column.
fn group<T>(
    read: &mut Read<'_>,
    statement: EachRow,
    chains: &[ChainId],
    column: usize,
    map: impl Fn(&Row<'_>) -> Result<T>,
) -> Result<HashMap<ChainId, Vec<T>>> {
    let keys: Vec<_> = chains.iter().map(ToString::to_string).collect();
    let rows: Vec<_> = keys.iter().map(|key| [key.into()]).collect();
    let mut grouped: HashMap<ChainId, Vec<T>> = HashMap::new();
    read.query_each(statement, &rows, |row| {
        let of_chain = grouped.entry(row.parsed(column)?).or_default();
        of_chain.push(map(row)?);
        Ok(())
    })?;
    Ok(grouped)
}

fn read_link(row: &Row<'_>) -> Result<Link> {
    Ok(Link {
        seller: ListingId(row.integer(1)?),
        buyer: ListingId(row.integer(2)?),
    })
}
