//! Opening, migrating, refusing and closing a store.

use storage::{OpenOptions, Opening, Read, SCHEMA_VERSION, Storage, StorageError, StoreUrl};

use crate::on_both_engines;
use crate::place::{Place, beside, counted, increment, open_with_counter};

on_both_engines! {
    fn an_empty_store_gets_the_whole_schema(place) {
        let storage = place.open();
        let versions: Vec<i64> = (1..=SCHEMA_VERSION).collect();
        assert_eq!(storage.read_blocking(list_versions).unwrap(), versions);
        let revision = storage.read_blocking(storage::registry::find_revision);
        assert_eq!(revision.unwrap(), 1);
    }

    fn opening_again_changes_nothing(place) {
        let storage = open_with_counter(place);
        let versions = storage.read_blocking(list_versions).unwrap();
        storage.write_blocking(increment).unwrap();
        drop(storage);
        for _ in 0..2 {
            let storage = place.open();
            assert_eq!(counted(&storage), 1);
            assert_eq!(storage.read_blocking(list_versions).unwrap(), versions);
        }
    }

    fn several_may_open_an_empty_store_at_once(place) {
        let versions: Vec<i64> = (1..=SCHEMA_VERSION).collect();
        let openings: Vec<_> = (0..6)
            .map(|_| {
                let url = place.url.clone();
                let options = OpenOptions { opening: Opening::Make, ..OpenOptions::default() };
                beside(move || Storage::open(&url, &options))
            })
            .collect();
        for opening in openings {
            let storage = opening.join().unwrap().unwrap();
            assert_eq!(storage.read_blocking(list_versions).unwrap(), versions);
        }
    }

    fn a_second_handle_works_beside_the_first(place) {
        let first = open_with_counter(place);
        let second = place.open();
        for round in 0..20 {
            assert_eq!(first.write_blocking(increment).unwrap(), round * 2 + 1);
            assert_eq!(second.write_blocking(increment).unwrap(), round * 2 + 2);
        }
        drop(first);
        assert_eq!(second.write_blocking(increment).unwrap(), 41);
        assert_eq!(counted(&second), 41);
    }

    fn a_newer_store_is_refused_and_left_alone(place) {
        drop(open_with_counter(place));
        place.run("insert into schema_version (version, applied_at) values (99, 0)");
        let refused = place.try_open().unwrap_err();
        let StorageError::NewerStore { found, known, .. } = &refused else {
            panic!("{refused:?}");
        };
        assert_eq!((*found, *known), (99, SCHEMA_VERSION));
        assert!(refused.to_string().contains("run the newer program"), "{refused}");
        place.run("delete from schema_version where version = 99");
        assert_eq!(counted(&place.open()), 0);
    }

    fn a_foreign_version_table_is_refused_without_a_panic(place) {
        for table in [
            "create table schema_version (version bigint)",
            "create table schema_version (version text); \
             insert into schema_version values ('1.0.3')",
        ] {
            place.run(table);
            let refused = place.try_open().unwrap_err();
            assert!(matches!(refused, StorageError::Open { .. }), "{refused:?}");
            assert!(refused.to_string().contains("schema_version"), "{refused}");
            place.run("drop table schema_version");
        }
        place.open();
    }
}

#[test]
fn a_closed_sqlite_store_is_one_file() {
    // So that a copy of the file alone, made while nothing runs, is a whole one.
    let place = Place::on_sqlite();
    let storage = open_with_counter(&place);
    storage.write_blocking(increment).unwrap();
    drop(storage);
    let StoreUrl::Sqlite(path) = &place.url else {
        panic!("not SQLite");
    };
    let folder = path.parent().unwrap();
    let copy = folder.join("copy.db");
    std::fs::copy(path, &copy).unwrap();
    let options = OpenOptions::default();
    let copied = Storage::open(&StoreUrl::Sqlite(copy), &options).unwrap();
    assert_eq!(counted(&copied), 1);
    drop(copied);
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["copy.db", "onward.db"]);
}

#[test]
fn what_cannot_be_opened_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(
        path("text.db"),
        "no database at all, and long enough ".repeat(200),
    )
    .unwrap();
    for (store, said) in [
        (path("none.db"), "there is no such file"),
        (path(""), "there is no such file, or it may not be opened"),
        (path("text.db"), "the file is not an SQLite database"),
        (
            "postgres://someone:secret@127.0.0.1:1/none?password=secret".to_owned(),
            "cannot open the store postgres://127.0.0.1:1/none: ",
        ),
        (
            "postgres://host:port/none".to_owned(),
            "cannot open the store",
        ),
        ("mysql://host/none".to_owned(), "is no store"),
    ] {
        let opened = store
            .parse::<StoreUrl>()
            .and_then(|url| Storage::open(&url, &OpenOptions::default()));
        let text = opened.unwrap_err().to_string();
        assert!(text.contains(said), "{store}: {text}");
        assert!(!text.contains("secret"), "{text}");
    }
}

fn list_versions(read: &mut Read<'_>) -> storage::Result<Vec<i64>> {
    read.query(
        "select version from schema_version order by version",
        &[],
        |row| row.integer(0),
    )
}
