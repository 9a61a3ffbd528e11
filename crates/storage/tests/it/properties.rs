//! Finding properties, and placeholder UPRNs.

use std::collections::BTreeSet;

use chain::ids::PropertyId;
use storage::properties::{self, StoredProperty};
use storage::{Result, Storage, StorageError, Write};

use crate::database::{on_threads, read, write};
use crate::on_both_engines;
use crate::rows::{address, insert_property, uprn};

const FIRST: i64 = 900_000_000_000;

on_both_engines! {
    fn properties_are_found_by_id_address_and_postcode(database) {
        let storage = database.open();
        let all: Vec<_> = (1..=5).map(|number| {
            let id = write(&storage, move |write| insert_property(write, number));
            StoredProperty { id, uprn: uprn(number), address: address(number), is_verified: true }
        }).collect();
        let find = |id| read(&storage, move |read| properties::find_property(read, id));
        assert_eq!(find(all[3].id), Some(all[3].clone()));
        assert_eq!(find(PropertyId(99)), None);
        for (address_key, postcode_key, limit, offset, total, expected) in [
            ("mill lane", "LS14AP", 10, 0, 5, &all[..]),
            ("mill lane", "LS14AP", 2, 3, 5, &all[3..]),
            ("mill", "LS14A", 10, 0, 0, &[]),
        ] {
            let found = read(&storage, move |read| Ok([
                properties::list_properties_by_address(read, address_key, limit, offset)?,
                properties::list_properties_by_postcode(read, postcode_key, limit, offset)?,
            ]));
            let expected = (total, expected.to_vec());
            assert_eq!(found, [expected.clone(), expected]);
        }
    }

    fn placeholders_count_up_and_skip_imported_numbers(database) {
        let storage = database.open();
        assert_eq!([take(&storage), take(&storage)], [FIRST, FIRST + 1]);
        for imported in [FIRST + 2, FIRST + 3, FIRST + 5, 999_999_999_999] {
            write(&storage, move |write| insert_property(write, imported));
        }
        assert_eq!([(); 3].map(|()| take(&storage)), [FIRST + 4, FIRST + 6, FIRST + 7]);
        let undone: Result<()> = storage.write_blocking(|write| {
            properties::next_placeholder_uprn(write)?;
            Err(StorageError::Busy)
        });
        assert!(undone.is_err());
        assert_eq!(take(&storage), FIRST + 8, "a rolled-back number is free again");
    }

    fn the_last_placeholder_is_taken_before_an_error(database) {
        let storage = database.open();
        database.run("update counter set value = 999999999997");
        write(&storage, |write| insert_property(write, 999_999_999_998));
        assert_eq!(take(&storage), 999_999_999_999);
        let none = storage.write_blocking(properties::next_placeholder_uprn);
        assert!(matches!(none, Err(StorageError::Corrupt(_))), "{none:?}");
    }

    fn concurrent_writers_take_different_placeholders(database) {
        let nodes = [database.open(), database.open()];
        for imported in [FIRST + 3, FIRST + 4, FIRST + 9] {
            write(&nodes[0], move |write| insert_property(write, imported));
        }
        let take_and_use = |write: &mut Write<'_>| {
            let uprn = properties::next_placeholder_uprn(write)?.value();
            insert_property(write, uprn)?;
            Ok(uprn)
        };
        let taken = on_threads(32, &nodes, |node, _| [(); 3].map(|()| write(node, take_and_use)));
        let taken: BTreeSet<_> = taken.into_iter().flatten().collect();
        assert_eq!(taken.len(), 96);
        assert_eq!(taken.first(), Some(&FIRST));
        assert_eq!(taken.last(), Some(&(FIRST + 98)), "three numbers were imported");
    }
}

fn take(storage: &Storage) -> i64 {
    write(storage, properties::next_placeholder_uprn).value()
}
