//! Tells subscribers that a chain changed: the event `chain.changed` (S-39).

use chain::event::{ChainChange, EventType};
use chain::ids::{ChainId, ListingId};
use chain::london::date_in_london;
use delivery::event_claims;
use storage::enqueue::{QueuedEvent, enqueue_event};
use storage::events::{self, NewEvent};
use storage::{StorageError, Write, properties};
use uuid::Uuid;

/// A change of chains.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChangedChains {
    /// The change.
    pub(crate) change: ChainChange,
    /// The listing acted on.
    pub(crate) listing: ListingId,
    /// The chains that result; twice the same if there is one.
    pub(crate) chains: [ChainId; 2],
}

/// Records one event for each chain that results, in the transaction of the change. `now` is in Unix
/// seconds.
pub(crate) fn announce(
    write: &mut Write<'_>,
    changed: &ChangedChains,
    now: i64,
) -> Result<(), StorageError> {
    let (property, uprn) = properties::find_property_of_listing(write, changed.listing)?;
    let [first, second] = changed.chains;
    let date = date_in_london(now);
    let date = date.ok_or_else(|| StorageError::Corrupt(format!("{now} is no time")))?;
    let other = (second != first).then_some(second);
    for chain in [first].into_iter().chain(other) {
        let uprns = properties::list_uprns_of_chain(write, chain)?;
        if uprns.is_empty() {
            // Its only listing was withdrawn, so the chain is gone.
            continue;
        }
        let uprns = uprns.iter().map(|uprn| uprn.value());
        let detail = event_claims::describe_chain(chain, changed.change, uprns);
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
