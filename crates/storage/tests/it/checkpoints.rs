//! SQLite: the log is moved into the file while others write.

use storage::{OpenOptions, Storage, StoreUrl};

use crate::database::write;

const MEBIBYTE: u64 = 1024 * 1024;
/// The log may have 64 MiB before the writer moves it itself, and one more commit.
const LOG_MAX: u64 = 72 * MEBIBYTE;

#[test]
fn the_log_stays_bounded_under_writes_without_a_pause() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("onward.db");
    let url = StoreUrl::Sqlite(path.clone());
    let storage = Storage::open(
        &url,
        &OpenOptions {
            opening: storage::Opening::Create,
            ..OpenOptions::default()
        },
    )
    .unwrap();
    let log = folder.path().join("onward.db-wal");
    let mut longest = 0;
    // 160 MiB in all.
    for _commit in 0..40 {
        write(&storage, |write| {
            write.execute(
                "insert into idempotency (client_id, path, request_key, body_digest, status, body, \
                 expires_at) values ('client', '/', lower(hex(randomblob(16))), '', 200, \
                 hex(randomblob(2097152)), 0)",
                &[],
            )
        });
        longest = longest.max(log.metadata().unwrap().len());
    }
    assert!(longest < LOG_MAX, "{longest}");
    drop(storage);
    assert!(!log.exists(), "the whole log is in the file");
    assert!(path.metadata().unwrap().len() > 150 * MEBIBYTE);
}

/// The connections must not close at the same time, because then none of them moves the log.
#[test]
fn a_closed_store_never_leaves_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("onward.db");
    let url = StoreUrl::Sqlite(path);
    let options = OpenOptions {
        opening: storage::Opening::Create,
        ..OpenOptions::default()
    };
    for round in 0..100 {
        let storage = Storage::open(&url, &options).unwrap();
        write(&storage, |write| {
            write.execute(
                "insert into idempotency (client_id, path, request_key, body_digest, status, body, \
                 expires_at) values ('client', '/', lower(hex(randomblob(16))), '', 200, \
                 hex(randomblob(1048576)), 0)",
                &[],
            )
        });
        drop(storage);
        assert!(!folder.path().join("onward.db-wal").exists(), "{round}");
    }
}
