//! The history of a listing.

use chain::ids::ListingId;
use storage::history::{self, HistoryEntry, NewEntry};
use storage::{Storage, StorageError};

use crate::on_both_engines;
use crate::rows::{CLIENT, THEN, chain_of, open_with_listings};

on_both_engines! {
    fn entries_come_oldest_first_with_their_organisation(place) {
        let (storage, _branch, ids) = open_with_listings(place, 2);
        let actors = [CLIENT, "operator", CLIENT];
        for (number, actor) in actors.into_iter().enumerate() {
            append(&storage, ids[0], actor, THEN + i64::try_from(number).unwrap());
        }
        append(&storage, ids[1], CLIENT, THEN);
        let (total, entries) = list(&storage, ids[0], (10, 0));
        assert_eq!(total, 3);
        let listing = ids[0];
        let chain = storage.read_blocking(move |read| chain_of(read, listing)).unwrap();
        assert_eq!(entries[1], HistoryEntry {
            id: entries[1].id,
            listing,
            chain,
            action: "check_top".to_owned(),
            actor: "operator".to_owned(),
            participant: None,
            detail: r#"{"reason":"Checked"}"#.to_owned(),
            at: THEN + 1,
        });
        let organisations: Vec<_> =
            entries.iter().map(|entry| entry.participant.as_deref()).collect();
        assert_eq!(organisations, [Some("Agents Ltd"), None, Some("Agents Ltd")]);
        assert!(entries.is_sorted_by_key(|entry| entry.id));
        assert_eq!(list(&storage, ids[0], (1, 1)), (3, vec![entries[1].clone()]));
        assert_eq!(list(&storage, ids[0], (5, 3)), (3, vec![]));
    }
}

fn append(storage: &Storage, listing: ListingId, actor: &'static str, now: i64) {
    storage
        .write_blocking(move |write| {
            let entry = NewEntry {
                listing,
                chain: chain_of(write, listing)?,
                action: "check_top",
                actor,
                detail: r#"{"reason":"Checked"}"#,
            };
            history::append_history(write, &entry, now)?;
            Ok::<_, StorageError>(())
        })
        .unwrap();
}

fn list(
    storage: &Storage,
    listing: ListingId,
    (limit, offset): (i64, i64),
) -> (i64, Vec<HistoryEntry>) {
    let found =
        storage.read_blocking(move |read| history::list_history(read, listing, limit, offset));
    found.unwrap()
}
