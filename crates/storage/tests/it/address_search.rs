//! Finding properties by address tokens and by UPRN, as soon as they are committed (S-7).

use address::Probe;
use chain::ids::{ListingId, PropertyId};
use storage::address_search::{self, CurrentListing};
use storage::properties;
use storage::{
    Read, Result, Storage, StorageError, Write, batches, chains, copies, current_listings, listings,
};

use crate::database::{TestDatabase, read, spawn, wait_for, write};
use crate::on_both_engines;
use crate::rows::{
    NOW, SETTLING, THEN, address, chain_of, insert_listing, insert_property, new_property,
    open_with_listings, tokens, uprn,
};

on_both_engines! {
    fn a_property_is_found_in_its_own_transaction_and_after_its_commit(database) {
        let storage = database.open();
        let id = write(&storage, |write| {
            let id = insert_property(write, 7)?;
            assert_eq!(find(write, &[tokens(7)], 9)?, [id]);
            Ok(id)
        });
        assert_eq!(found(&storage, vec![tokens(7)], 9), [id]);
        let undone: Result<()> = storage.write_blocking(|write| {
            insert_property(write, 8)?;
            Err(StorageError::Busy)
        });
        assert!(undone.is_err());
        assert_eq!(found(&storage, vec![own_tokens(8, 7)], 9), []);
    }

    fn a_property_has_a_token_of_every_group_and_the_lowest_ids_come_first(database) {
        let (storage, ids) = open_with_properties(database, 4);
        let any_of = |numbers: [i64; 2]| numbers.map(|number| own_tokens(number, 9)).concat();
        // A probe has at most eight groups.
        let mut eight = vec![shared_tokens(); 7];
        eight.insert(3, any_of([2, 2]));
        for (groups, limit, expected) in [
            (vec![any_of([1, 3])], 9, vec![ids[0], ids[2]]),
            (vec![any_of([1, 3]), any_of([3, 4])], 9, vec![ids[2]]),
            (vec![any_of([1, 3]), any_of([2, 4]), shared_tokens()], 9, vec![]),
            (eight, 9, vec![ids[1]]),
            (vec![shared_tokens()], 9, ids.clone()),
            (vec![shared_tokens()], 2, ids[..2].to_vec()),
        ] {
            assert_eq!(found(&storage, groups, limit), expected);
        }
    }

    fn a_new_address_is_found_by_its_own_tokens_only(database) {
        let (storage, ids) = open_with_properties(database, 1);
        let id = ids[0];
        write(&storage, move |write| batches::change_properties(write, &[(id, &new_property(2))]));
        assert_eq!(found(&storage, vec![own_tokens(1, 2)], 9), []);
        assert_eq!(found(&storage, vec![own_tokens(2, 1)], 9), [id]);
    }

    fn tokens_of_another_version_are_rebuilt(database) {
        let (storage, ids) = open_with_properties(database, 3);
        drop(storage);
        database.run(
            "delete from address_token; update revision set value = -1 where name = 'address_index'",
        );
        let storage = database.open();
        assert_eq!(found(&storage, vec![shared_tokens()], 9), ids);
        // The rows of this test have a key that no address has.
        let key = address::normalise(&address(2).display_address);
        let (_, keyed) = read(&storage, move |read| {
            properties::list_properties_by_address(read, &key, 9, 0)
        });
        assert_eq!(keyed.iter().map(|property| property.id).collect::<Vec<_>>(), [ids[1]]);
        drop(storage);
        // Opening is quick, because it leaves tokens of this version alone.
        database.run("delete from address_token");
        assert_eq!(found(&database.open(), vec![shared_tokens()], 9), []);
    }

    fn a_lookup_sees_every_change_of_every_node(database) {
        let (here, branch, ids) = open_with_listings(database, 2);
        let nodes = [here, database.open()];
        let listing = ids[0];
        let mut versions = vec![look_up(&nodes[0], 1).unwrap().version];
        for round in 0..40 {
            write(&nodes[round % 2], move |write| raise_version(write, listing));
            // Each node answers twice. Its second answer may come from the cache.
            let seen = [0, 1, 0, 1].map(|node| look_up(&nodes[node], 1).unwrap());
            assert!(seen.iter().all(|current| *current == seen[0]), "{seen:?}");
            assert!(!versions.contains(&seen[0].version), "round {round} was not seen");
            versions.push(seen[0].version);
            assert_eq!(look_up(&nodes[0], 2).unwrap().listing, ids[1]);
        }
        write(&nodes[1], move |write| {
            listings::delete_listing(write, listing, THEN)?;
            current_listings::settle(write, &SETTLING, listing, false)
        });
        assert_eq!([look_up(&nodes[0], 1), look_up(&nodes[1], 1)], [None, None]);
        // More UPRNs than the cache of a connection holds, each twice.
        for number in (3..=5000).chain(3..=5000) {
            assert_eq!(look_up(&nodes[0], number), None);
        }
        write(&nodes[0], move |write| insert_listing(write, branch, 3));
        assert!(look_up(&nodes[0], 3).is_some());
        assert_eq!(look_up(&nodes[0], 2).unwrap().listing, ids[1]);
    }

    fn the_next_statement_of_a_lookup_sees_a_change(database) {
        let (storage, _branch, ids) = open_with_listings(database, 1);
        look_up(&storage, 1).unwrap();
        let (listing, writer) = (ids[0], storage.clone());
        let seen = wait_for(storage.lookup(move |read| -> Result<_> {
            let before = address_search::find_by_uprn(read, uprn(1))?;
            let raise = move |write: &mut Write<'_>| raise_version(write, listing);
            spawn(move || write(&writer, raise)).join().unwrap();
            Ok((before, address_search::find_by_uprn(read, uprn(1))?))
        }));
        let (before, after) = seen.unwrap();
        assert_eq!(before.revision, after.revision);
        assert_ne!(before.current, after.current);
    }
}

#[test]
fn a_copy_is_searched_like_the_store() {
    let database = TestDatabase::on_sqlite();
    let (storage, ids) = open_with_properties(&database, 3);
    let copy = database.beside("copy.db");
    copies::back_up(&database.url, &copy).unwrap();
    drop(storage);
    let note = storage::operator_changes::OperatorCommand {
        os_user: String::new(),
        command: "restore".to_owned(),
        reason: String::new(),
        now: 0,
    };
    copies::restore(&copy, &database.url, true, note).unwrap();
    let storage = database.open();
    assert_eq!(found(&storage, vec![own_tokens(2, 1)], 9), [ids[1]]);
    assert_eq!(found(&storage, vec![shared_tokens()], 9), ids);
}

fn open_with_properties(database: &TestDatabase, count: i64) -> (Storage, Vec<PropertyId>) {
    let storage = database.open();
    let ids = write(&storage, move |write| {
        let ids = (1..=count).map(|number| insert_property(write, number));
        ids.collect()
    });
    (storage, ids)
}

fn find(read: &mut Read<'_>, groups: &[Vec<i32>], limit: usize) -> Result<Vec<PropertyId>> {
    let probe = Probe::of(groups.to_vec());
    let found = address_search::list_candidates(read, &probe, limit)?;
    Ok(found.into_iter().map(|property| property.id).collect())
}

fn found(storage: &Storage, groups: Vec<Vec<i32>>, limit: usize) -> Vec<PropertyId> {
    read(storage, move |read| find(read, &groups, limit))
}

/// The tokens that the address with another number does not have.
fn own_tokens(number: i64, other: i64) -> Vec<i32> {
    let others = tokens(other);
    let own = tokens(number).into_iter();
    own.filter(|token| !others.contains(token)).collect()
}

/// The tokens that the addresses of all numbers have.
fn shared_tokens() -> Vec<i32> {
    let others = tokens(2);
    let all = tokens(1).into_iter();
    all.filter(|token| others.contains(token)).collect()
}

fn look_up(storage: &Storage, number: i64) -> Option<CurrentListing> {
    let lookup = storage.lookup(move |read| address_search::find_by_uprn(read, uprn(number)));
    wait_for(lookup).unwrap().current
}

fn raise_version(write: &mut Write<'_>, listing: ListingId) -> Result<()> {
    let chain = chain_of(write, listing)?;
    chains::begin_change(write, chain, NOW)
}
