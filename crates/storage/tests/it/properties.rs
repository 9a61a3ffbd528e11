//! Finding properties, and numbers for those that have none.

use std::collections::BTreeSet;

use chain::ids::{PropertyId, Uprn};
use storage::properties::{self, StoredProperty};
use storage::{Result, Storage, StorageError, Write};

use crate::on_both_engines;
use crate::place::beside;
use crate::rows::{address, insert_property};

const FIRST: i64 = 900_000_000_000;

on_both_engines! {
    fn a_property_is_found_by_its_id(place) {
        let storage = place.open();
        let id = storage.write_blocking(|write| insert_property(write, 7)).unwrap();
        let find = |id| storage.read_blocking(move |read| properties::find_property(read, id));
        assert_eq!(find(id).unwrap(), Some(stored(id, 7)));
        assert_eq!(find(PropertyId(99)).unwrap(), None);
    }

    fn properties_are_listed_by_address_and_by_postcode(place) {
        let storage = place.open();
        let ids = storage.write_blocking(|write| {
            let ids: Result<Vec<_>> = (1..=5).map(|number| insert_property(write, number)).collect();
            ids
        });
        let all: Vec<_> = ids.unwrap().into_iter().zip(1..).map(|(id, n)| stored(id, n)).collect();
        let page = |address_key: &'static str, postcode_key: &'static str, limit, offset| {
            let found = storage.read_blocking(move |read| {
                let by_address =
                    properties::list_properties_by_address(read, address_key, limit, offset)?;
                let by_postcode =
                    properties::list_properties_by_postcode(read, postcode_key, limit, offset)?;
                Ok::<_, StorageError>([by_address, by_postcode])
            });
            found.unwrap()
        };
        let both = |found: (i64, Vec<StoredProperty>)| [found.clone(), found];
        assert_eq!(page("mill lane", "LS14AP", 10, 0), both((5, all.clone())));
        assert_eq!(page("mill lane", "LS14AP", 2, 3), both((5, all[3..].to_vec())));
        assert_eq!(page("mill", "LS14A", 10, 0), both((0, vec![])));
    }

    fn placeholders_count_up_and_pass_over_those_of_imports(place) {
        let storage = place.open();
        assert_eq!(take(&storage), FIRST);
        assert_eq!(take(&storage), FIRST + 1);
        for imported in [FIRST + 2, FIRST + 3, FIRST + 5, 999_999_999_999] {
            storage.write_blocking(move |write| insert_property(write, imported)).unwrap();
        }
        let next: Vec<_> = (0..3).map(|_| take(&storage)).collect();
        assert_eq!(next, [FIRST + 4, FIRST + 6, FIRST + 7]);
        let undone: Result<Uprn> = storage.write_blocking(|write| {
            properties::next_placeholder_uprn(write)?;
            Err(StorageError::Busy)
        });
        assert!(undone.is_err());
        assert_eq!(take(&storage), FIRST + 8, "nobody has what was undone");
    }

    fn the_last_placeholders_are_given_before_it_is_said_that_none_is_left(place) {
        let storage = place.open();
        place.run("update counter set value = 999999999997");
        storage.write_blocking(|write| insert_property(write, 999_999_999_998)).unwrap();
        assert_eq!(take(&storage), 999_999_999_999);
        let none = storage.write_blocking(properties::next_placeholder_uprn);
        assert!(matches!(none, Err(StorageError::Corrupt(_))), "{none:?}");
    }

    fn concurrent_writers_get_different_placeholders(place) {
        // Two handles are two nodes, or two processes on one file.
        let nodes = [place.open(), place.open()];
        for imported in [FIRST + 3, FIRST + 4, FIRST + 9] {
            nodes[0].write_blocking(move |write| insert_property(write, imported)).unwrap();
        }
        let writers: Vec<_> = nodes
            .iter()
            .cycle()
            .take(32)
            .map(|node| {
                let node = node.clone();
                beside(move || (0..3).map(|_| take_and_use(&node)).collect::<Vec<_>>())
            })
            .collect();
        let taken: Vec<_> =
            writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
        let different: BTreeSet<_> = taken.iter().copied().collect();
        assert_eq!((taken.len(), different.len()), (96, 96));
        assert_eq!(different.first(), Some(&FIRST));
        assert_eq!(different.last(), Some(&(FIRST + 98)), "three were passed over");
    }
}

fn stored(id: PropertyId, number: i64) -> StoredProperty {
    StoredProperty {
        id,
        uprn: Uprn::new(number).unwrap(),
        address: address(number),
    }
}

fn take(storage: &Storage) -> i64 {
    let taken = storage.write_blocking(properties::next_placeholder_uprn);
    taken.unwrap().value()
}

fn take_and_use(storage: &Storage) -> i64 {
    let taken = storage.write_blocking(|write: &mut Write<'_>| {
        let uprn = properties::next_placeholder_uprn(write)?;
        insert_property(write, uprn.value())?;
        Ok::<_, StorageError>(uprn)
    });
    taken.unwrap().value()
}
