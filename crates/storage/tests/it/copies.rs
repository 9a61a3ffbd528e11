//! Backups made while others write, and restoring them.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use storage::StoreUrl;
use storage::copies::{self, back_up};
use storage::copy_error::CopyError;
use storage::operator_changes::OperatorCommand;

use crate::database::{
    TestDatabase, counted, increment, open_file, open_with_counter, spawn, write,
};

fn restore(copy: &Path, url: &StoreUrl, replace: bool) -> Result<(), CopyError> {
    copies::restore(copy, url, replace, note())
}

fn note() -> OperatorCommand {
    OperatorCommand {
        os_user: "somebody".to_owned(),
        command: "restore".to_owned(),
        reason: String::new(),
        now: 0,
    }
}

#[test]
fn a_copy_has_all_changes_that_were_acknowledged_before_it_began() {
    let database = TestDatabase::on_sqlite();
    let storage = open_with_counter(&database);
    let progress = Arc::new((AtomicI64::new(0), AtomicBool::new(false)));
    let shared = Arc::clone(&progress);
    let writer = spawn(move || {
        while !shared.1.load(Ordering::SeqCst) {
            let value = write(&storage, increment);
            shared.0.store(value, Ordering::SeqCst);
        }
    });
    let (acknowledged, is_over) = &*progress;
    for round in 0..5 {
        while acknowledged.load(Ordering::SeqCst) < 20 * (round + 1) {
            std::thread::yield_now();
        }
        let copy = database.beside(&format!("copy-{round}.db"));
        let before = acknowledged.load(Ordering::SeqCst);
        back_up(&database.url, &copy).unwrap();
        // The copy may have one more write, which is not acknowledged yet.
        let after = acknowledged.load(Ordering::SeqCst) + 1;
        let found = counted(&open_file(&copy));
        let is_between = (before..=after).contains(&found);
        assert!(is_between, "{before} {found} {after}");
    }
    is_over.store(true, Ordering::SeqCst);
    writer.join().unwrap();
}

#[test]
fn a_copy_is_restored_and_the_old_store_is_set_aside() {
    let database = TestDatabase::on_sqlite();
    let storage = open_with_counter(&database);
    let copy = database.beside("copy.db");
    write(&storage, increment);
    back_up(&database.url, &copy).unwrap();
    write(&storage, increment);

    let refused = |replace| restore(&copy, &database.url, replace).unwrap_err();
    let held = refused(true);
    assert!(matches!(held, CopyError::StoreInUse(_)), "{held}");
    drop(storage);
    assert!(matches!(refused(false), CopyError::StoreExists(_)));
    assert_eq!(counted(&database.open()), 2, "nothing was changed");

    restore(&copy, &database.url, true).unwrap();
    assert_eq!(counted(&database.open()), 1);
    let aside = database.beside("onward.db.replaced");
    assert_eq!(counted(&open_file(&aside)), 2);
    let storage = database.open();
    write(&storage, increment);
    write(&storage, increment);
    drop(storage);
    restore(&copy, &database.url, true).unwrap();
    let second = database.beside("onward.db.replaced-2");
    let found = [&aside, &second].map(|path| counted(&open_file(path)));
    assert_eq!(found, [2, 3], "none of them is overwritten");

    // Without a store there is nothing to replace.
    std::fs::remove_file(database.path()).unwrap();
    restore(&copy, &database.url, false).unwrap();
    assert_eq!(counted(&database.open()), 1);
    for path in [&copy, database.path()] {
        let mode = std::fs::metadata(path).unwrap().permissions().mode();
        let name = path.display();
        assert_eq!(mode & 0o777, 0o600, "{name} is for its owner alone");
    }
}

#[test]
fn the_log_of_a_killed_program_is_not_played_into_the_copy() {
    let database = TestDatabase::on_sqlite();
    let storage = open_with_counter(&database);
    let copy = database.beside("copy.db");
    back_up(&database.url, &copy).unwrap();
    for _ in 0..5 {
        write(&storage, increment);
    }
    // A kill leaves the file and its log as they are now.
    let names = ["onward.db", "onward.db-wal"].map(|name| database.beside(name));
    let kept = names.clone().map(|name| std::fs::read(name).unwrap());
    assert!(!kept[1].is_empty());
    drop(storage);
    for (name, bytes) in names.iter().zip(kept) {
        std::fs::write(name, bytes).unwrap();
    }
    restore(&copy, &database.url, true).unwrap();
    assert_eq!(counted(&database.open()), 0);
    let aside = database.beside("onward.db.replaced");
    assert_eq!(counted(&open_file(&aside)), 5, "with its log");
}

#[test]
fn nothing_is_overwritten_and_no_part_of_a_copy_stays() {
    let database = TestDatabase::on_sqlite();
    drop(open_with_counter(&database));
    let copy = database.beside("copy.db");
    std::fs::write(&copy, "mine").unwrap();
    let refused = back_up(&database.url, &copy);
    assert!(matches!(refused, Err(CopyError::Exists(_))), "{refused:?}");
    assert_eq!(std::fs::read(&copy).unwrap(), b"mine");
    let store = std::fs::read(database.path()).unwrap();
    let other = database.beside("other.db");
    let text = b"no store at all, and long enough ".repeat(200);
    for (name, bytes) in [
        ("text.db", &text[..]),
        ("empty.db", &[]),
        ("cut.db", &store[..store.len() / 2]),
    ] {
        let broken = database.beside(name);
        std::fs::write(&broken, bytes).unwrap();
        let refused = restore(&broken, &database.url, true).unwrap_err();
        assert!(matches!(refused, CopyError::Read(..)), "{name}: {refused}");
        let refused = back_up(&StoreUrl::Sqlite(broken.clone()), &other);
        assert!(refused.is_err() || name == "cut.db", "{name}");
        drop([&broken, &other].map(std::fs::remove_file));
    }
    assert_eq!(counted(&database.open()), 0);
    let is_part = |name: &String| name.contains("unfinished") || name.contains("replaced");
    assert!(!database.files().iter().any(is_part));
}

#[test]
fn files_of_killed_runs_are_removed_and_those_of_running_ones_stay() {
    let database = TestDatabase::on_sqlite();
    drop(open_with_counter(&database));
    let left = [
        "other.db.1.unfinished",
        "onward.db.2.unfinished",
        "onward.db.2.unfinished-wal",
        "onward.db.3.unfinished.lock",
    ];
    let kept = [
        "held.db.4.unfinished",
        "held.db.4.unfinished.lock",
        "mine.unfinished",
        "mine.5.unfinished.txt",
    ];
    let write_all = |names: &[&str]| {
        for name in names {
            std::fs::write(database.beside(name), "").unwrap();
        }
    };
    write_all(&kept);
    let held = std::fs::File::open(database.beside("held.db.4.unfinished.lock")).unwrap();
    held.lock().unwrap();
    let copy = database.beside("copy.db");
    for run in ["backup", "restore"] {
        write_all(&left);
        if run == "backup" {
            back_up(&database.url, &copy).unwrap();
        } else {
            restore(&copy, &database.url, true).unwrap();
        }
        let files = database.files();
        for name in left {
            assert!(!files.iter().any(|file| file == name), "{run}: {files:?}");
        }
        for name in kept {
            assert!(files.iter().any(|file| file == name), "{run}: {files:?}");
        }
        // The run left no file of its own.
        let is_part = |name: &&String| name.contains(".unfinished");
        assert_eq!(
            files.iter().filter(is_part).count(),
            kept.len(),
            "{run}: {files:?}"
        );
    }
}

#[test]
fn postgres_has_its_own_tools() {
    let url = "postgres://someone:secret@localhost/onward";
    let url: StoreUrl = url.parse().unwrap();
    let file = Path::new("copy.db");
    for refused in [back_up(&url, file), restore(file, &url, true)] {
        let text = refused.unwrap_err().to_string();
        let is_right = text.contains("pg_dump") && !text.contains("secret");
        assert!(is_right, "{text}");
    }
}

#[test]
fn programs_that_open_and_close_a_store_are_not_taken_for_a_restore() {
    let database = TestDatabase::on_sqlite();
    drop(open_with_counter(&database));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| [(); 25].map(|()| write(&database.open(), increment)));
        }
    });
    assert_eq!(counted(&database.open()), 100);
}
