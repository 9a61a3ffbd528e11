//! SQLite: the log is moved into the file while others write.

use std::path::Path;

use storage::{OpenOptions, Opening, Storage, StoreUrl};

use crate::database::write;

const MEBIBYTE: u64 = 1024 * 1024;
/// The log may have 64 MiB before the writer moves it itself, and one more commit.
const LOG_MAX: u64 = 72 * MEBIBYTE;

fn open(folder: &Path) -> Storage {
    let url = StoreUrl::Sqlite(folder.join("onward.db"));
    let options = OpenOptions {
        opening: Opening::Create,
        ..OpenOptions::new(crate::database::seal)
    };
    Storage::open(&url, &options).unwrap()
}

/// Commits a row of 4 MiB.
fn commit_much(storage: &Storage) {
    write(storage, |write| {
        write.execute(
            "insert into idempotency (client_id, path, request_key, body_digest, status, body, \
             expires_at) values ('client', '/', lower(hex(randomblob(16))), '', 200, \
             hex(randomblob(2097152)), 0)",
            &[],
        )
    });
}

#[test]
fn the_log_stays_bounded_under_writes_without_a_pause() {
    let folder = tempfile::tempdir().unwrap();
    let storage = open(folder.path());
    let log = folder.path().join("onward.db-wal");
    let mut longest = 0;
    // 160 MiB in all.
    for _commit in 0..40 {
        commit_much(&storage);
        longest = longest.max(log.metadata().unwrap().len());
    }
    assert!(longest < LOG_MAX, "{longest}");
    drop(storage);
    assert!(!log.exists(), "the whole log is in the file");
    let file = folder.path().join("onward.db");
    assert!(file.metadata().unwrap().len() > 150 * MEBIBYTE);
}

/// The connections must not close at the same time, because then none of them moves the log.
#[test]
fn a_closed_store_never_leaves_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("onward.db-wal");
    for round in 0..100 {
        let storage = open(folder.path());
        commit_much(&storage);
        drop(storage);
        assert!(!log.exists(), "{round}");
    }
}
