//! A PostgreSQL server that takes no changes, as a standby does, is not the store: what it knows is
//! old. A balancer that has just started may lead to one.

use std::time::Duration;

use storage::{Read, StorageError};

use crate::place::{Place, counted, open_with_counter};

/// Lets the database take changes or not, and ends all connections to it.
fn set_read_only(place: &Place, is_read_only: bool) {
    let value = if is_read_only { "on" } else { "off" };
    place.run(&format!(
        "begin read write; \
         do $$ begin execute format('alter database %I set default_transaction_read_only = \
         {value}', current_database()); end $$; \
         commit; \
         select pg_terminate_backend(pid) from pg_stat_activity \
         where datname = current_database() and pid <> pg_backend_pid()"
    ));
}

fn read(read: &mut Read<'_>) -> Result<i64, StorageError> {
    storage::registry::find_revision(read)
}

#[test]
fn a_server_that_takes_no_changes_is_not_used() {
    let Some(place) = Place::on_postgres() else {
        return;
    };
    let storage = open_with_counter(&place);
    set_read_only(&place, true);
    for _read in 0..30 {
        let refused = storage.read_blocking(read).unwrap_err();
        assert!(matches!(refused, StorageError::Unavailable(_)), "{refused}");
    }
    let refused = place.try_open().unwrap_err().to_string();
    assert!(refused.contains("does not allow writes"), "{refused}");
    set_read_only(&place, false);
    // Whichever connection was ended while nobody used it is found within a second, before
    // somebody does.
    std::thread::sleep(Duration::from_millis(2500));
    for _read in 0..30 {
        storage.read_blocking(read).unwrap();
    }
    assert_eq!(counted(&storage), 0);
}
