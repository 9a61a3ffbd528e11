//! Copies made while others write, and put back.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use storage::copies::{CopyError, back_up, restore};
use storage::{OpenOptions, Storage, StoreUrl};

use crate::place::{Place, beside, counted, increment, open_with_counter};

/// The store's file, and another one beside it.
fn files(place: &Place, name: &str) -> (PathBuf, PathBuf) {
    let StoreUrl::Sqlite(path) = &place.url else {
        panic!("on SQLite only");
    };
    (path.clone(), path.with_file_name(name))
}

fn open(path: &Path) -> Storage {
    Storage::open(&StoreUrl::Sqlite(path.to_owned()), &OpenOptions::default()).unwrap()
}

#[test]
fn a_copy_holds_all_that_was_acknowledged_before_it_began() {
    let place = Place::on_sqlite();
    let storage = open_with_counter(&place);
    let acknowledged = Arc::new(AtomicI64::new(0));
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = {
        let (storage, acknowledged) = (storage.clone(), Arc::clone(&acknowledged));
        let is_over = Arc::clone(&is_over);
        beside(move || {
            while !is_over.load(Ordering::SeqCst) {
                let value = storage.write_blocking(increment).unwrap();
                acknowledged.store(value, Ordering::SeqCst);
            }
        })
    };
    for round in 0..5 {
        let (_, copy) = files(&place, &format!("copy-{round}.db"));
        while acknowledged.load(Ordering::SeqCst) < 20 * (round + 1) {
            std::thread::yield_now();
        }
        let before = acknowledged.load(Ordering::SeqCst);
        back_up(&place.url, &copy).unwrap();
        // One more write may be under way that nobody was told of yet.
        let after = acknowledged.load(Ordering::SeqCst) + 1;
        let held = counted(&open(&copy));
        assert!(
            (before..=after).contains(&held),
            "{before} <= {held} <= {after}"
        );
    }
    is_over.store(true, Ordering::SeqCst);
    writer.join().unwrap();
}

#[test]
fn a_copy_is_put_back_and_what_was_there_is_set_aside() {
    let place = Place::on_sqlite();
    let storage = open_with_counter(&place);
    let (store, copy) = files(&place, "copy.db");
    storage.write_blocking(increment).unwrap();
    back_up(&place.url, &copy).unwrap();
    storage.write_blocking(increment).unwrap();

    let refused = |replace| restore(&copy, &place.url, replace).unwrap_err();
    assert!(
        matches!(refused(true), CopyError::Held(_)),
        "{}",
        refused(true)
    );
    drop(storage);
    assert!(matches!(refused(false), CopyError::StoreExists(_)));
    assert_eq!(counted(&place.open()), 2, "nothing was changed");

    restore(&copy, &place.url, true).unwrap();
    assert_eq!(counted(&place.open()), 1);
    let aside = store.with_file_name("onward.db.replaced");
    assert_eq!(counted(&open(&aside)), 2);
    assert!(matches!(refused(true), CopyError::Exists(_)), "only once");

    // Where nothing is left, nothing has to be said.
    std::fs::remove_file(&store).unwrap();
    restore(&copy, &place.url, false).unwrap();
    assert_eq!(counted(&place.open()), 1);
}

#[test]
fn the_log_of_a_killed_program_is_not_played_into_the_copy() {
    let place = Place::on_sqlite();
    let storage = open_with_counter(&place);
    let (store, copy) = files(&place, "copy.db");
    back_up(&place.url, &copy).unwrap();
    for _ in 0..5 {
        storage.write_blocking(increment).unwrap();
    }
    // What a kill leaves: the file and its log, copied as they are.
    let kept = ["", "-wal"].map(|ending| {
        let name = format!("{}{ending}", store.display());
        (std::fs::read(&name).unwrap(), name)
    });
    drop(storage);
    for (bytes, name) in &kept {
        std::fs::write(name, bytes).unwrap();
    }
    assert!(!kept[1].0.is_empty());
    restore(&copy, &place.url, true).unwrap();
    assert_eq!(counted(&place.open()), 0);
    let aside = store.with_file_name("onward.db.replaced");
    assert_eq!(counted(&open(&aside)), 5, "with its log");
}

#[test]
fn nothing_is_overwritten_and_nothing_half_is_left() {
    let place = Place::on_sqlite();
    drop(open_with_counter(&place));
    let (store, copy) = files(&place, "copy.db");
    std::fs::write(&copy, "mine").unwrap();
    assert!(matches!(
        back_up(&place.url, &copy),
        Err(CopyError::Exists(_))
    ));
    assert_eq!(std::fs::read(&copy).unwrap(), b"mine");
    for (name, bytes) in [
        ("text.db", b"no store at all, and long enough ".repeat(200)),
        ("empty.db", Vec::new()),
        ("cut.db", {
            let mut whole = std::fs::read(&store).unwrap();
            whole.truncate(whole.len() / 2);
            whole
        }),
    ] {
        let (_, broken) = files(&place, name);
        std::fs::write(&broken, bytes).unwrap();
        let refused = restore(&broken, &place.url, true).unwrap_err();
        assert!(matches!(refused, CopyError::Read(..)), "{name}: {refused}");
        let refused = back_up(&StoreUrl::Sqlite(broken), &files(&place, "x.db").1);
        assert!(refused.is_err() || name == "cut.db", "{name}");
        drop(std::fs::remove_file(files(&place, "x.db").1));
    }
    assert_eq!(counted(&place.open()), 0);
    let left = std::fs::read_dir(store.parent().unwrap()).unwrap();
    let mut left: Vec<_> = left
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("unfinished") || name.contains("replaced"))
        .collect();
    left.sort();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn a_copy_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::on_sqlite();
    drop(open_with_counter(&place));
    let (store, copy) = files(&place, "copy.db");
    back_up(&place.url, &copy).unwrap();
    std::fs::remove_file(&store).unwrap();
    restore(&copy, &place.url, false).unwrap();
    for path in [copy, store] {
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
}

#[test]
fn postgres_has_tools_of_its_own() {
    let url: StoreUrl = "postgres://someone:secret@localhost/onward"
        .parse()
        .unwrap();
    let file = Path::new("copy.db");
    for said in [back_up(&url, file), restore(file, &url, true)] {
        let said = said.unwrap_err().to_string();
        assert!(
            said.contains("pg_dump") && !said.contains("secret"),
            "{said}"
        );
    }
}

#[test]
fn many_may_open_and_close_a_store_at_once_and_nobody_is_taken_for_a_restore() {
    let place = Place::on_sqlite();
    drop(open_with_counter(&place));
    let users: Vec<_> = (0..4)
        .map(|_| {
            let url = place.url.clone();
            beside(move || {
                for _ in 0..25 {
                    let opened = Storage::open(&url, &OpenOptions::default());
                    opened.unwrap().write_blocking(increment).unwrap();
                }
            })
        })
        .collect();
    for user in users {
        user.join().unwrap();
    }
    assert_eq!(counted(&place.open()), 100);
}
