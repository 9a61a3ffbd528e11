//! The outbox of events. The transaction that records a milestone inserts its event (S-34).

use chain::event::EventType;
use chain::ids::{ListingId, PropertyId, Uprn};
use jiff::civil::Date;

use crate::properties::read_uprn;
use crate::row::Row;
use crate::subscribed_types::types_of_chains;
use crate::{Read, Result, StorageError, Write};

/// The first characters of the id of a simulated event, and of no other (S-33).
pub const SIMULATED_PREFIX: &str = "sim_";

/// An event to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewEvent<'a> {
    /// Its id for subscribers, unique.
    pub event_id: &'a str,
    /// Its event type.
    pub event_type: EventType,
    /// The listing.
    pub listing: ListingId,
    /// The listing's property.
    pub property: PropertyId,
    /// The property's UPRN at that time.
    pub uprn: Uprn,
    /// Document 1's label; `None` for a fall-through.
    pub label: Option<&'a str>,
    /// The date in London (S-11).
    pub date: Date,
    /// The claim `data` as JSON, if the other members do not say it.
    pub detail: Option<&'a str>,
}

/// A stored event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its place in the outbox.
    pub id: i64,
    /// Its id for subscribers.
    pub event_id: String,
    /// Its event type.
    pub event_type: EventType,
    /// The listing.
    pub listing: ListingId,
    /// The listing's property.
    pub property: PropertyId,
    /// The property's UPRN at that time.
    pub uprn: Uprn,
    /// Document 1's label; `None` for a fall-through.
    pub label: Option<String>,
    /// The date in London (S-11).
    pub date: Date,
    /// Unix seconds.
    pub recorded_at: i64,
}

/// A simulated event, for the subscriptions of its caller (S-33).
#[derive(Debug, Clone, Copy)]
pub struct SimulatedEvent<'a> {
    /// Its id for subscribers, unique.
    pub event_id: &'a str,
    /// Its event type.
    pub event_type: EventType,
    /// The property's id, 0 if unknown.
    pub property: i64,
    /// The property's UPRN, 0 if unknown.
    pub uprn: i64,
    /// Document 1's label; `None` for a fall-through.
    pub label: Option<&'a str>,
    /// The date in London (S-11).
    pub date: Date,
    /// The further claims of a `chain.changed`, as JSON.
    pub detail: Option<&'a str>,
}

/// Inserts a simulated event. Returns its row in the outbox.
pub fn insert_simulated_event(
    write: &mut Write<'_>,
    event: &SimulatedEvent<'_>,
    now: i64,
) -> Result<i64> {
    write.insert(
        "insert into event (event_id, event_type, property_id, uprn, label, date, recorded_at, \
         detail) values ($1, $2, $3, $4, $5, $6, $7, $8) returning id",
        &[
            event.event_id.into(),
            event.event_type.as_str().into(),
            event.property.into(),
            event.uprn.into(),
            event.label.into(),
            (&event.date.to_string()).into(),
            now.into(),
            event.detail.into(),
        ],
    )
}

/// The row of the newest event that this node can see; 0 if there is none.
pub fn find_newest_event(read: &mut Read<'_>) -> Result<i64> {
    read.query_integer("select coalesce(max(id), 0) from event", &[])
}

/// Inserts an event. Returns its row in the outbox.
pub fn insert_event(write: &mut Write<'_>, event: &NewEvent<'_>, now: i64) -> Result<i64> {
    write.insert(
        "insert into event (event_id, event_type, listing_id, property_id, uprn, label, date, \
         recorded_at, detail) values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id",
        &[
            event.event_id.into(),
            event.event_type.as_str().into(),
            event.listing.into(),
            event.property.into(),
            event.uprn.value().into(),
            event.label.into(),
            (&event.date.to_string()).into(),
            now.into(),
            event.detail.into(),
        ],
    )
}

/// At most `limit` events of milestones after row `after_id`, in order. PostgreSQL numbers a row before its commit,
/// so a lower number may appear after a higher one. A reader that remembers only the highest number
/// can miss events.
pub fn list_events(read: &mut Read<'_>, after_id: i64, limit: i64) -> Result<Vec<StoredEvent>> {
    read.query(
        concat!(
            "select id, event_id, event_type, listing_id, property_id, uprn, label, date, \
             recorded_at from event where id > $1 and listing_id is not null \
             and event_type not in ",
            types_of_chains!(),
            " order by id limit $2"
        ),
        &[after_id.into(), limit.into()],
        read_event,
    )
}

fn read_event(row: &Row<'_>) -> Result<StoredEvent> {
    Ok(StoredEvent {
        id: row.integer(0)?,
        event_id: row.text(1)?,
        event_type: read_event_type(row, 2)?,
        listing: ListingId(row.integer(3)?),
        property: PropertyId(row.integer(4)?),
        uprn: read_uprn(row, 5)?,
        label: row.optional_text(6)?,
        date: row.parsed(7)?,
        recorded_at: row.integer(8)?,
    })
}

pub(crate) fn read_event_type(row: &Row<'_>, column: usize) -> Result<EventType> {
    let word = row.str(column)?;
    EventType::parse(word)
        .ok_or_else(|| StorageError::Corrupt(format!("`{word}` is no event type")))
}
