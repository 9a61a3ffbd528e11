//! The outbox.

use chain::event::EventType;
use chain::ids::{PropertyId, Uprn};
use storage::events::{self, NewEvent, StoredEvent};
use storage::{Result, StorageError, Write, listings};

use crate::on_both_engines;
use crate::rows::{THEN, open_with_listings};

on_both_engines! {
    fn events_come_in_the_order_of_their_places(place) {
        let (storage, _branch, ids) = open_with_listings(place, 1);
        let listing = ids[0];
        let found = storage
            .read_blocking(move |read| listings::find_stored_listing(read, listing))
            .unwrap()
            .unwrap();
        let (property, uprn) = (found.property, found.uprn);
        let insert = move |event_id: &'static str, event_type: EventType| {
            let label = (event_type == EventType::MilestoneUpdated).then_some("SSTC");
            move |write: &mut Write<'_>| -> Result<i64> {
                let date = "2026-03-02".parse().unwrap();
                let event = NewEvent { event_id, event_type, listing, property, uprn, label, date };
                events::insert_event(write, &event, THEN)
            }
        };
        let first = storage.write_blocking(insert("evt_1", EventType::MilestoneUpdated)).unwrap();
        let second = storage.write_blocking(insert("evt_2", EventType::FallThrough)).unwrap();
        assert!(second > first);
        let twice = storage.write_blocking(insert("evt_1", EventType::FallThrough));
        assert!(matches!(twice, Err(StorageError::Statement(_))), "{twice:?}");

        let all = storage.read_blocking(|read| events::list_events(read, 0, 10)).unwrap();
        assert_eq!(all, [
            stored(first, "evt_1", EventType::MilestoneUpdated, Some("SSTC"), (property, uprn)),
            stored(second, "evt_2", EventType::FallThrough, None, (property, uprn)),
        ]);
        let list = |after, limit| {
            storage.read_blocking(move |read| events::list_events(read, after, limit)).unwrap()
        };
        assert_eq!(list(0, 1), all[..1]);
        assert_eq!(list(first, 10), all[1..]);
        assert_eq!(list(second, 10), []);
    }
}

fn stored(
    id: i64,
    event_id: &str,
    event_type: EventType,
    label: Option<&str>,
    (property, uprn): (PropertyId, Uprn),
) -> StoredEvent {
    StoredEvent {
        id,
        event_id: event_id.to_owned(),
        event_type,
        listing: chain::ids::ListingId(1),
        property,
        uprn,
        label: label.map(ToOwned::to_owned),
        date: "2026-03-02".parse().unwrap(),
        recorded_at: THEN,
    }
}
