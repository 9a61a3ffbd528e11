//! Opening and closing a store, and losing its server.

use std::time::Duration;

use storage::{Opening, Storage, StorageError, StoreUrl, maintenance, registry};

use crate::database::{
    TestDatabase, count, counted, increment, open_file, open_with_counter, read, write,
};
use crate::on_both_engines;

on_both_engines! {
    fn processes_that_open_an_empty_store_at_the_same_time_get_the_whole_schema(database) {
        database.clear();
        std::thread::scope(|scope| for _ in 0..6 {
            scope.spawn(|| {
                let storage = database.open_to(Opening::Create).unwrap();
                for (sql, expected) in [
                    ("select count(*) from schema_version", newest_version()),
                    ("select max(version) from schema_version", newest_version()),
                    ("select value from revision where name = 'registry'", 1),
                ] {
                    assert_eq!(count(&storage, sql), expected, "{sql}");
                }
            });
        });
    }

    fn a_newer_store_is_refused_and_not_changed(database) {
        drop(open_with_counter(database));
        database.run("insert into schema_version (version, applied_at) values (99, 0)");
        let refused = database.try_open().unwrap_err();
        let StorageError::NewerStore { found, known, .. } = &refused else {
            panic!("{refused:?}");
        };
        assert_eq!((*found, *known), (99, newest_version()));
        assert!(refused.to_string().contains("run the newer program"), "{refused}");
        database.run("delete from schema_version where version = 99");
        assert_eq!(counted(&database.open()), 0);
    }

    fn a_newer_store_that_allows_this_program_is_used(database) {
        drop(open_with_counter(database));
        let insert = format!(
            "insert into schema_version (version, applied_at, oldest_program) values (99, 0, {})",
            newest_version()
        );
        database.run(&insert);
        let storage = database.open_to(Opening::Unchanged).unwrap();
        storage.write_blocking(maintenance::probe).unwrap();
        assert_eq!(counted(&storage), 0);
        // Another upgrade no longer allows it.
        database.run("insert into schema_version (version, applied_at) values (100, 0)");
        let refused = storage.write_blocking(maintenance::probe);
        assert!(matches!(refused, Err(StorageError::Fenced)), "{refused:?}");
        drop(storage);
        let refused = database.try_open().unwrap_err();
        assert!(matches!(refused, StorageError::NewerStore { found: 100, .. }), "{refused:?}");
    }

    fn a_foreign_version_table_is_refused(database) {
        database.clear();
        for table in [
            "create table schema_version (version bigint)",
            "create table schema_version (version text); \
             insert into schema_version values ('1.0.3')",
        ] {
            database.run(table);
            let refused = database.try_open().unwrap_err();
            assert!(matches!(refused, StorageError::Open { .. }), "{refused:?}");
            assert!(refused.to_string().contains("schema_version"), "{refused}");
            database.run("drop table schema_version");
        }
        database.open();
    }
}

#[test]
fn the_sqlite_file_of_another_program_is_refused_and_not_changed() {
    let database = TestDatabase::on_sqlite();
    database.clear();
    database.run("create table note (id integer primary key)");
    let refused = database.open_to(Opening::Create).unwrap_err();
    assert!(matches!(refused, StorageError::Open { .. }), "{refused:?}");
    assert!(refused.to_string().contains("another program"), "{refused}");
    database.run("drop table note");
    database.open_to(Opening::Create).unwrap();
}

#[test]
fn a_closed_sqlite_store_is_one_file() {
    // A copy of this file alone is complete.
    let database = TestDatabase::on_sqlite();
    write(&open_with_counter(&database), increment);
    let copy = database.beside("copy.db");
    std::fs::copy(database.path(), &copy).unwrap();
    assert_eq!(counted(&open_file(&copy)), 1);
    assert_eq!(database.files(), ["copy.db", "onward.db"]);
}

#[test]
fn an_error_of_opening_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let text = "no database at all, and long enough ".repeat(200);
    std::fs::write(path("text.db"), text).unwrap();
    for (store, said) in [
        (path("none.db").as_str(), "there is no such file"),
        (&path(""), "there is no such file, or it may not be opened"),
        (&path("text.db"), "the file is not an SQLite database"),
        (
            "postgres://someone:secret@127.0.0.1:1/none?password=secret",
            "cannot open the store postgres://127.0.0.1:1/none: ",
        ),
        ("postgres://host:port/none", "cannot open the store"),
        ("mysql://host/none", "is no store"),
    ] {
        let url = store.parse::<StoreUrl>();
        let opened = url
            .and_then(|url| Storage::open(&url, &storage::OpenOptions::new(crate::database::seal)));
        let text = opened.unwrap_err().to_string();
        assert!(text.contains(said), "{store}: {text}");
        assert!(!text.contains("secret"), "{text}");
    }
}

/// A standby refuses writes, and its data may be old.
#[test]
fn a_read_only_server_is_not_used() {
    let Some(database) = TestDatabase::on_postgres() else {
        return;
    };
    let storage = open_with_counter(&database);
    set_read_only(&database, true);
    for _ in 0..30 {
        let refused = storage.read_blocking(registry::find_revision).unwrap_err();
        assert!(matches!(refused, StorageError::Unavailable(_)), "{refused}");
    }
    let refused = database.try_open().unwrap_err().to_string();
    assert!(refused.contains("does not allow writes"), "{refused}");
    set_read_only(&database, false);
    // An idle connection that the server ended is replaced within a second, before a read finds
    // out. Only the store sees when this happens, so the test must wait for the time.
    std::thread::sleep(Duration::from_millis(2500));
    for _ in 0..30 {
        read(&storage, registry::find_revision);
    }
    assert_eq!(counted(&storage), 0);
}

/// Makes the database refuse or take changes, and ends all connections to it.
fn set_read_only(database: &TestDatabase, is_read_only: bool) {
    let value = if is_read_only { "on" } else { "off" };
    database.run(&format!(
        "begin read write; \
         do $$ begin execute format('alter database %I set default_transaction_read_only = \
         {value}', current_database()); end $$; \
         commit; \
         select pg_terminate_backend(pid) from pg_stat_activity \
         where datname = current_database() and pid <> pg_backend_pid()"
    ));
}

/// The number of migrations.
fn newest_version() -> i64 {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/migrations");
    let count = std::fs::read_dir(folder).unwrap().count();
    i64::try_from(count).unwrap()
}
