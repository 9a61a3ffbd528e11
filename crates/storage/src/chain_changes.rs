//! Tells subscribers that a chain changed: the event `chain.changed` (S-39).

use chain::event::{ChainChange, EventType};
use chain::ids::{ChainId, ListingId, PropertyId, Uprn};
use chain::london::date_in_london;
use uuid::Uuid;

use crate::enqueue::{QueuedEvent, enqueue_event};
use crate::events::{self, NewEvent};
use crate::properties::read_uprn;
use crate::{Read, Result, StorageError, Write};

/// A change of chains.
#[derive(Debug, Clone, Copy)]
pub struct ChangedChains {
    /// The change.
    pub change: ChainChange,
    /// The listing acted on.
    pub listing: ListingId,
    /// The chains that result; twice the same if there is one.
    pub chains: [ChainId; 2],
}

/// Records one event for each chain that results, in the transaction of the change. `now` is in Unix
/// seconds.
pub fn announce(write: &mut Write<'_>, changed: &ChangedChains, now: i64) -> Result<()> {
    let (property, uprn) = write.query_exactly_one(
        "select p.id, p.uprn from listing l join property p on p.id = l.property_id where l.id = $1",
        &[changed.listing.into()],
        |row| Ok((PropertyId(row.integer(0)?), read_uprn(row, 1)?)),
    )?;
    let [first, second] = changed.chains;
    let date = date_in_london(now);
    let date = date.ok_or_else(|| StorageError::Corrupt(format!("{now} is no time")))?;
    let other = (second != first).then_some(second);
    for chain in [first].into_iter().chain(other) {
        let uprns = list_uprns(write, chain)?;
        if uprns.is_empty() {
            // Its only listing was withdrawn, so the chain is gone.
            continue;
        }
        let detail = describe(changed.change, chain, &uprns);
        let event = NewEvent {
            event_id: &format!("evt_{}", Uuid::new_v4()),
            event_type: EventType::ChainChanged,
            listing: changed.listing,
            property,
            uprn,
            label: None,
            date,
            detail: Some(&detail),
        };
        let queued = QueuedEvent {
            row: events::insert_event(write, &event, now)?,
            event_type: EventType::ChainChanged,
            property,
            uprn,
            chains: changed.chains,
        };
        enqueue_event(write, &queued, now * 1000)?;
    }
    Ok(())
}

/// The UPRNs of a chain's properties, in ascending order.
fn list_uprns(read: &mut Read<'_>, chain: ChainId) -> Result<Vec<Uprn>> {
    read.query(
        "select distinct p.uprn from listing l join property p on p.id = l.property_id \
         where l.chain_id = $1 and l.deleted_at is null order by p.uprn",
        &[(&chain.to_string()).into()],
        |row| read_uprn(row, 0),
    )
}

/// The claim `data` of the event. Nothing in it needs to be escaped.
fn describe(change: ChainChange, chain: ChainId, uprns: &[Uprn]) -> String {
    let uprns: Vec<String> = uprns
        .iter()
        .map(|uprn| format!("\"{}\"", uprn.value()))
        .collect();
    format!(
        "{{\"chainId\":\"{chain}\",\"change\":\"{}\",\"uprns\":[{}]}}",
        change.as_str(),
        uprns.join(",")
    )
}
