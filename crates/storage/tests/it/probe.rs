//! The probe, which shows whether requests can use the store.

use std::sync::{Arc, Barrier};

use storage::{OpenOptions, Opening, Storage, StorageError, maintenance};

use crate::database::{TestDatabase, read, spawn, write};

/// A role with few rights and connections. Dropping it removes it.
struct Role<'d> {
    database: &'d TestDatabase,
    name: String,
}

impl<'d> Role<'d> {
    fn new(database: &'d TestDatabase, connections: usize) -> Self {
        let name = format!("role_{}", uuid::Uuid::new_v4().simple());
        database.run(&format!(
            "create role {name} login connection limit {connections}; \
             grant select, insert, update, delete on all tables in schema public to {name}; \
             grant usage on all sequences in schema public to {name}"
        ));
        Self { database, name }
    }

    fn open(&self) -> Storage {
        let options = OpenOptions {
            opening: Opening::Unchanged,
            connections: 4,
            ..OpenOptions::new(crate::database::seal)
        };
        Storage::open(&self.database.url_as(&self.name), &options).unwrap()
    }
}

impl Drop for Role<'_> {
    fn drop(&mut self) {
        let name = &self.name;
        self.database
            .run(&format!("drop owned by {name}; drop role {name}"));
    }
}

#[test]
fn a_store_that_works_passes_and_stays_as_it_was() {
    for database in [Some(TestDatabase::on_sqlite()), TestDatabase::on_postgres()] {
        let Some(database) = database else { return };
        let storage = database.open();
        write(&storage, maintenance::probe);
        let rows = "select count(*) from used_assertion";
        assert_eq!(
            read(&storage, |read| read
                .query_exactly_one(rows, &[], |row| row.integer(0))),
            0
        );
    }
}

#[test]
fn a_missing_right_is_named() {
    let Some(database) = TestDatabase::on_postgres() else {
        return;
    };
    drop(database.open());
    let role = Role::new(&database, 10);
    let storage = role.open();
    let probe = || storage.write_blocking(maintenance::probe);
    probe().unwrap();
    for (right, table) in [
        ("insert", "used_assertion"),
        ("select", "listing"),
        ("insert", "history"),
        ("update", "listing"),
        ("delete", "delivery"),
    ] {
        database.run(&format!("revoke {right} on {table} from {}", role.name));
        let error = probe().unwrap_err();
        assert!(matches!(error, StorageError::Unavailable(_)), "{error}");
        assert!(error.to_string().contains(table), "{error}");
        database.run(&format!("grant {right} on {table} to {}", role.name));
        probe().unwrap();
    }
    drop(storage);
}

/// All readers have a connection, and the role may have no further one.
#[test]
fn the_writer_gets_a_connection_of_another_pool() {
    let Some(database) = TestDatabase::on_postgres() else {
        return;
    };
    drop(database.open());
    let role = Role::new(&database, 4);
    let storage = role.open();
    let together = Arc::new(Barrier::new(4));
    let readers: Vec<_> = (0..4)
        .map(|_| {
            let (storage, together) = (storage.clone(), Arc::clone(&together));
            spawn(move || {
                read(&storage, move |read| {
                    together.wait();
                    storage::registry::find_revision(read)
                })
            })
        })
        .collect();
    for reader in readers {
        reader.join().unwrap();
    }
    write(&storage, maintenance::probe);
    // Three threads still read.
    read(&storage, storage::registry::find_revision);
    drop(storage);
}
