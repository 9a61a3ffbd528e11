//! The history of a listing and the outbox of events.

use chain::event::EventType;
use storage::StorageError;
use storage::events::{self, StoredEvent};
use storage::history::{self, HistoryEntry, NewEntry};

use crate::database::{read, write};
use crate::on_both_engines;
use crate::rows::{CLIENT, THEN, chain_of, new_event, open_with_listings};

on_both_engines! {
    fn entries_come_oldest_first_with_their_participant(database) {
        let (storage, _branch, ids) = open_with_listings(database, 2);
        let entries = [(0, CLIENT), (0, "operator"), (0, CLIENT), (1, CLIENT)];
        for (at, (index, actor)) in (THEN..).zip(entries) {
            let listing = ids[index];
            write(&storage, move |write| {
                let chain = chain_of(write, listing)?;
                let (action, detail) = ("check_top", r#"{"reason":"Checked"}"#);
                let entry = NewEntry { listing, chain, action, actor, detail };
                history::append_history(write, &entry, at)
            });
        }
        let listing = ids[0];
        let list = |limit, offset| {
            read(&storage, move |read| history::list_history(read, listing, limit, offset))
        };
        let (total, entries) = list(10, 0);
        assert_eq!((total, entries.len()), (3, 3));
        assert_eq!(entries[1], HistoryEntry {
            id: entries[1].id,
            listing,
            chain: read(&storage, move |read| chain_of(read, listing)),
            action: "check_top".to_owned(),
            actor: "operator".to_owned(),
            participant: None,
            detail: r#"{"reason":"Checked"}"#.to_owned(),
            at: THEN + 1,
        });
        let participants = entries.iter().map(|entry| entry.participant.as_deref());
        assert!(participants.eq([Some("Agents Ltd"), None, Some("Agents Ltd")]));
        assert!(entries.is_sorted_by_key(|entry| entry.id));
        assert_eq!(list(1, 1), (3, vec![entries[1].clone()]));
        assert_eq!(list(5, 3), (3, vec![]));
    }

    fn events_come_in_the_order_of_their_rows(database) {
        let (storage, _branch, _ids) = open_with_listings(database, 1);
        let insert = |event_id: &'static str, event_type: EventType| {
            storage.write_blocking(move |write| {
                events::insert_event(write, &new_event(event_id, event_type), THEN)
            })
        };
        let first = insert("evt_1", EventType::MilestoneUpdated).unwrap();
        let second = insert("evt_2", EventType::FallThrough).unwrap();
        assert!(second > first);
        let twice = insert("evt_1", EventType::FallThrough);
        assert!(matches!(twice, Err(StorageError::Statement(_))), "{twice:?}");

        let list = |after, limit| read(&storage, move |read| events::list_events(read, after, limit));
        let all = list(0, 10);
        let new = new_event("evt_1", EventType::MilestoneUpdated);
        let stored = StoredEvent {
            id: first,
            event_id: "evt_1".to_owned(),
            event_type: new.event_type,
            listing: new.listing,
            property: new.property,
            uprn: new.uprn,
            label: Some("SSTC".to_owned()),
            date: new.date,
            recorded_at: THEN,
        };
        let (id, event_id) = (second, "evt_2".to_owned());
        let event_type = EventType::FallThrough;
        let next = StoredEvent { id, event_id, event_type, label: None, ..stored.clone() };
        assert_eq!(all, [stored, next]);
        assert_eq!(list(0, 1), all[..1]);
        assert_eq!(list(first, 10), all[1..]);
        assert_eq!(list(second, 10), []);
        assert_eq!(read(&storage, events::find_newest_event), second);
    }
}
