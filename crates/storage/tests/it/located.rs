//! What a UPRN leads to is as new as the store, however often it was asked for.

use chain::ids::{ListingId, Uprn};
use storage::address_search::{Hit, Located, find_by_uprn};
use storage::{Storage, StorageError, Write, chains, listings};

use crate::on_both_engines;
use crate::place::{beside, wait_for};
use crate::rows::{THEN, insert_listing, open_with_listings};

on_both_engines! {
    fn every_change_is_seen_by_the_next_look(place) {
        let (here, _branch, ids) = open_with_listings(place, 2);
        let elsewhere = place.open();
        let listing = ids[0];
        let mut versions = vec![look(&here, 1).unwrap().version];
        for round in 0..40 {
            let writer = if round % 2 == 0 { &here } else { &elsewhere };
            change(writer, move |write| chains::raise_version_of_listing(write, listing));
            // Twice each: the second time, nothing has changed since.
            let seen = [&here, &elsewhere, &here, &elsewhere].map(|node| look(node, 1).unwrap());
            assert!(seen.iter().all(|hit| *hit == seen[0]), "{seen:?}");
            assert!(!versions.contains(&seen[0].version), "round {round} was not seen");
            versions.push(seen[0].version);
            assert_eq!(look(&here, 2).unwrap().listing, ids[1]);
        }
        change(&elsewhere, move |write| listings::delete_listing(write, listing, THEN));
        assert_eq!([look(&here, 1), look(&elsewhere, 1)], [None, None]);
    }

    fn what_was_not_there_is_found_once_it_is(place) {
        let (storage, branch, _ids) = open_with_listings(place, 1);
        assert_eq!([look(&storage, 2), look(&storage, 2)], [None, None]);
        change(&storage, move |write| insert_listing(write, branch, 2).map(drop));
        assert!(look(&storage, 2).is_some());
    }

    fn a_change_during_a_lookup_is_seen_by_its_next_statement(place) {
        let (storage, _branch, ids) = open_with_listings(place, 1);
        look(&storage, 1).unwrap();
        let (listing, writer) = (ids[0], storage.clone());
        let seen = wait_for(storage.lookup(move |read| {
            let before = find_by_uprn(read, uprn(1))?;
            raise_beside(&writer, listing);
            Ok::<_, StorageError>((before, find_by_uprn(read, uprn(1))?))
        }));
        let (before, after) = seen.unwrap();
        assert_eq!(before.revision, after.revision);
        assert_ne!(before.hit, after.hit);
    }

    fn as_many_as_there_are_may_be_asked_for(place) {
        let (storage, _branch, ids) = open_with_listings(place, 1);
        for _round in 0..2 {
            // More than a connection keeps.
            for number in 1..=5000 {
                let hit = look(&storage, number);
                assert_eq!(hit.map(|hit| hit.listing), (number == 1).then_some(ids[0]));
            }
        }
    }
}

fn look(storage: &Storage, number: i64) -> Option<Hit> {
    let found = wait_for(storage.lookup(move |read| find_by_uprn(read, uprn(number))));
    let Located { revision: _, hit } = found.unwrap();
    hit
}

fn uprn(number: i64) -> Uprn {
    Uprn::new(number).unwrap()
}

fn change(
    storage: &Storage,
    work: impl FnMut(&mut Write<'_>) -> storage::Result<()> + Send + 'static,
) {
    storage.write_blocking(work).unwrap();
}

fn raise_beside(storage: &Storage, listing: ListingId) {
    let storage = storage.clone();
    let raise = move |write: &mut Write<'_>| chains::raise_version_of_listing(write, listing);
    beside(move || change(&storage, raise)).join().unwrap();
}
