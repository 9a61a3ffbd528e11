//! Properties are found by the tokens of their addresses, as soon as they are
//! committed, and by the same rules on both engines (S-7).

use address::{Probe, index_tokens};
use chain::ids::{PropertyId, Uprn};
use storage::address_index::known;
use storage::address_search::list_candidates;
use storage::properties::{self, NewProperty};
use storage::{Read, Result, Storage, StorageError};

use crate::on_both_engines;
use crate::rows::{address, insert_property};

on_both_engines! {
    fn a_property_is_found_in_its_own_transaction_and_by_everybody_after_it(place) {
        let storage = place.open();
        let mine = storage
            .write_blocking(|write| {
                let mine = insert_property(write, 7)?;
                assert_eq!(find(write, &[all_tokens(7)], 9)?, [mine]);
                Ok::<_, StorageError>(mine)
            })
            .unwrap();
        assert_eq!(found(&storage, vec![all_tokens(7)], 9), [mine]);
        let undone: Result<()> = storage.write_blocking(|write| {
            insert_property(write, 8)?;
            Err(StorageError::Busy)
        });
        assert!(undone.is_err());
        assert_eq!(found(&storage, vec![own_tokens(8, 7)], 9), []);
    }

    fn every_group_must_have_a_token_of_the_property(place) {
        let storage = place.open();
        let ids = insert(&storage, 4);
        let any_of = |numbers: [i64; 2]| numbers.map(|number| own_tokens(number, 9)).concat();
        assert_eq!(found(&storage, vec![any_of([1, 3])], 9), [ids[0], ids[2]]);
        let both = vec![any_of([1, 3]), any_of([3, 4])];
        assert_eq!(found(&storage, both, 9), [ids[2]]);
        let none = vec![any_of([1, 3]), any_of([2, 4]), shared_tokens()];
        assert_eq!(found(&storage, none, 9), []);
        let mut many = vec![shared_tokens(); 7];
        many.insert(3, any_of([2, 2]));
        assert_eq!(found(&storage, many, 9), [ids[1]], "as many groups as a probe may have");
    }

    fn a_limit_keeps_the_lowest_ids(place) {
        let storage = place.open();
        let ids = insert(&storage, 5);
        assert_eq!(found(&storage, vec![shared_tokens()], 9), ids);
        assert_eq!(found(&storage, vec![shared_tokens()], 2), ids[..2]);
    }

    fn another_address_is_found_by_its_own_tokens_only(place) {
        let storage = place.open();
        let id = insert(&storage, 1)[0];
        storage
            .write_blocking(move |write| properties::update_property(write, id, &moved()))
            .unwrap();
        assert_eq!(found(&storage, vec![own_tokens(1, 2)], 9), []);
        assert_eq!(found(&storage, vec![own_tokens(2, 1)], 9), [id]);
    }

    fn tokens_of_another_version_are_made_anew(place) {
        let storage = place.open();
        let ids = insert(&storage, 3);
        drop(storage);
        place.run(
            "delete from address_token; update revision set value = -1 where name = 'address_index'",
        );
        let storage = place.open();
        assert_eq!(found(&storage, vec![shared_tokens()], 9), ids);
        drop(storage);
        // Those of this version are left alone, which makes opening quick.
        place.run("delete from address_token");
        assert_eq!(found(&place.open(), vec![shared_tokens()], 9), []);
    }
}

fn insert(storage: &Storage, count: i64) -> Vec<PropertyId> {
    let inserted = storage.write_blocking(move |write| {
        let ids: Result<Vec<_>> = (1..=count)
            .map(|number| insert_property(write, number))
            .collect();
        ids
    });
    inserted.unwrap()
}

fn moved() -> NewProperty {
    NewProperty {
        uprn: Uprn::new(1).unwrap(),
        address: address(2),
        address_key: "mill lane".to_owned(),
        postcode_key: "LS14AP".to_owned(),
    }
}

fn find(read: &mut Read<'_>, groups: &[Vec<i32>], limit: usize) -> Result<Vec<PropertyId>> {
    let probe = Probe::of(groups.to_vec());
    let found = list_candidates(read, &probe, limit)?;
    Ok(found.into_iter().map(|property| property.id).collect())
}

fn found(storage: &Storage, groups: Vec<Vec<i32>>, limit: usize) -> Vec<PropertyId> {
    let find = move |read: &mut Read<'_>| find(read, &groups, limit);
    storage.read_blocking(find).unwrap()
}

fn all_tokens(number: i64) -> Vec<i32> {
    index_tokens(&known(&address(number)))
}

/// Those that the address with another number does not have.
fn own_tokens(number: i64, other: i64) -> Vec<i32> {
    let mut tokens = all_tokens(number);
    let others = all_tokens(other);
    tokens.retain(|token| !others.contains(token));
    tokens
}

/// Those that addresses with all numbers have.
fn shared_tokens() -> Vec<i32> {
    let mut tokens = all_tokens(1);
    let others = all_tokens(2);
    tokens.retain(|token| others.contains(token));
    tokens
}

#[test]
fn a_copy_is_searched_like_the_store() {
    let place = crate::place::Place::on_sqlite();
    let storage = place.open();
    let ids = insert(&storage, 3);
    let storage::StoreUrl::Sqlite(path) = &place.url else {
        panic!("on SQLite only");
    };
    let copy = path.with_file_name("copy.db");
    storage::copies::back_up(&place.url, &copy).unwrap();
    drop(storage);
    storage::copies::restore(&copy, &place.url, true).unwrap();
    let storage = place.open();
    assert_eq!(found(&storage, vec![own_tokens(2, 1)], 9), [ids[1]]);
    assert_eq!(found(&storage, vec![shared_tokens()], 9), ids);
}
