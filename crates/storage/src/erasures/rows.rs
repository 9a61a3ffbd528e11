//! The rows about an erased listing that go in small parts.

use super::Erasure;
use crate::engine::{EachRow, each_row};
use crate::row::Value;
use crate::{Read, Result, Write};

/// A kind of row that has a number of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErasedRows {
    /// Events of the listing, and others that name its UPRN, with their deliveries and attempts.
    Events,
    /// Lines of its history.
    History,
    /// Notes about it.
    Notes,
    /// Links with which anybody could see its chain.
    Shares,
    /// Forecasts that its milestones decide.
    Forecasts,
    /// Who was shown its property. Of a property with other listings, those from the time of this one.
    Accesses,
}

impl ErasedRows {
    /// All kinds.
    pub const ALL: [Self; 6] = [
        Self::Events,
        Self::History,
        Self::Notes,
        Self::Shares,
        Self::Forecasts,
        Self::Accesses,
    ];

    /// The statements that delete rows by their numbers, in this order.
    const fn deleting(self) -> &'static [EachRow] {
        match self {
            Self::Events => &[DELETE_ATTEMPTS, DELETE_DELIVERIES, DELETE_EVENTS],
            Self::History => &[DELETE_HISTORY],
            Self::Notes => &[DELETE_NOTES],
            Self::Shares => &[DELETE_SHARES],
            Self::Forecasts => &[DELETE_FORECASTS],
            Self::Accesses => &[DELETE_ACCESSES],
        }
    }
}

macro_rules! delete {
    ($table:literal, $column:literal) => {
        each_row!(
            concat!("delete from ", $table, " where ", $column, " in (select given.which from "),
            ["$1" which bigint],
            ")"
        )
    };
}

const DELETE_ATTEMPTS: EachRow = each_row!(
    "delete from attempt where delivery_id in (select d.id from ",
    ["$1" which bigint],
    " join delivery d on d.event_row = given.which)"
);
const DELETE_DELIVERIES: EachRow = delete!("delivery", "event_row");
const DELETE_EVENTS: EachRow = delete!("event", "id");
const DELETE_HISTORY: EachRow = delete!("history", "id");
const DELETE_NOTES: EachRow = delete!("note", "id");
const DELETE_SHARES: EachRow = delete!("share", "id");
const DELETE_FORECASTS: EachRow = delete!("forecast", "id");
const DELETE_ACCESSES: EachRow = delete!("access", "id");

/// A query for the numbers of rows of a listing in this table, above a number.
macro_rules! select_newer {
    ($table:literal) => {
        concat!(
            "select id from ",
            $table,
            " where listing_id = $1 and id > $2 order by id limit $3"
        )
    };
}

/// The numbers of at most `limit` rows about a listing above `after`.
pub fn list_rows(
    read: &mut Read<'_>,
    rows: ErasedRows,
    erasure: &Erasure,
    after: i64,
    limit: i64,
) -> Result<Vec<i64>> {
    let by_listing = |read: &mut Read<'_>, sql| {
        let parameters = [erasure.listing.into(), after.into(), limit.into()];
        read.query(sql, &parameters, |row| row.integer(0))
    };
    match rows {
        ErasedRows::Events => list_events(read, erasure, after, limit),
        ErasedRows::History => by_listing(read, select_newer!("history")),
        ErasedRows::Notes => by_listing(read, select_newer!("note")),
        ErasedRows::Shares => by_listing(read, select_newer!("share")),
        ErasedRows::Forecasts => by_listing(read, select_newer!("forecast")),
        ErasedRows::Accesses => list_accesses(read, erasure, after, limit),
    }
}

/// Deletes rows by their numbers.
pub fn delete_rows(write: &mut Write<'_>, rows: ErasedRows, numbers: &[i64]) -> Result<()> {
    let cells: Vec<[Value<'_>; 1]> = numbers.iter().map(|number| [(*number).into()]).collect();
    for statement in rows.deleting() {
        write.execute_each(*statement, &cells)?;
    }
    Ok(())
}

fn list_events(read: &mut Read<'_>, erasure: &Erasure, after: i64, limit: i64) -> Result<Vec<i64>> {
    let uprn = read.query_one(
        "select uprn from property where id = $1",
        &[erasure.property.into()],
        |row| row.integer(0),
    )?;
    // An event of a chain names the UPRNs of all its properties.
    let pattern = uprn.map_or_else(String::new, |uprn| format!("%{uprn}%"));
    read.query(
        "select id from event where id > $1 and (listing_id = $2 or detail like $3) order by id limit $4",
        &[
            after.into(),
            erasure.listing.into(),
            (&pattern).into(),
            limit.into(),
        ],
        |row| row.integer(0),
    )
}

fn list_accesses(
    read: &mut Read<'_>,
    erasure: &Erasure,
    after: i64,
    limit: i64,
) -> Result<Vec<i64>> {
    let others = read.exists(
        "select 1 from listing where property_id = $1 and id <> $2 limit 1",
        &[erasure.property.into(), erasure.listing.into()],
    )?;
    let withdrawn_at = read.query_one(
        "select deleted_at from listing where id = $1",
        &[erasure.listing.into()],
        |row| row.optional_integer(0),
    )?;
    let (from, until) = match (others, withdrawn_at.flatten()) {
        (true, Some(withdrawn_at)) => (erasure.created_at, withdrawn_at),
        (true, None) | (false, _) => (0, i64::MAX),
    };
    read.query(
        "select id from access where property_id = $1 and id > $2 and accessed_at >= $3 \
         and accessed_at <= $4 order by id limit $5",
        &[
            erasure.property.into(),
            after.into(),
            from.into(),
            until.into(),
            limit.into(),
        ],
        |row| row.integer(0),
    )
}
