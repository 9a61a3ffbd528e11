//! SQLite: after a failed sync of its file, a store keeps its log as it is until a restart.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use rusqlite::Connection;
use storage::{OpenOptions, Opening, Storage, StoreUrl, maintenance};

use crate::database::write;

/// The variable with the file whose syncs fail.
const FILE: &str = "FAILING_DISK";
const MEBIBYTE: u64 = 1024 * 1024;
/// With these commits of 4 MiB the log passes the length at which the writer moves it itself.
const LATER_COMMITS: usize = 18;
const PAUSE: Duration = Duration::from_millis(5);
const ATTEMPTS: usize = 12_000;

fn open(file: &Path) -> Storage {
    let options = OpenOptions {
        opening: Opening::Create,
        ..OpenOptions::new(crate::database::seal)
    };
    Storage::open(&StoreUrl::Sqlite(file.to_owned()), &options).unwrap()
}

/// Commits a row of 1 MiB, or a row of 4 MiB.
fn commit(storage: &Storage, is_large: bool) {
    let insert = |octets: &str| {
        format!(
            "insert into idempotency (client_id, path, request_key, body_digest, status, body, expires_at) \
             values ('client', '/', lower(hex(randomblob(16))), '', 200, hex(randomblob({octets})), 0)"
        )
    };
    let insert = insert(if is_large { "2097152" } else { "524288" });
    let insert: &'static str = insert.leak();
    write(storage, move |write| write.execute(insert, &[]));
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}{ending}", file.display()))
}

fn wait_until(text: &str, holds: impl Fn() -> bool) {
    let holds_later = (0..ATTEMPTS).any(|_attempt| {
        sleep(PAUSE);
        holds()
    });
    assert!(holds_later, "{text}");
}

fn build_disk(folder: &Path) -> PathBuf {
    let library = folder.join("failing_disk.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/failing_disk.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o"]);
    let built = compiler.args([&library, &source]).status();
    assert!(built.unwrap().success());
    library
}

/// What a loss of power leaves: the file with all that was synced, and the log, which each commit syncs.
fn cut_power(file: &Path, folder: &Path) -> PathBuf {
    let image = folder.join("image.db");
    fs::copy(beside(file, ".disk"), &image).unwrap();
    let log = beside(file, "-wal");
    if log.exists() {
        fs::copy(log, beside(&image, "-wal")).unwrap();
    }
    image
}

fn expect_all_rows(file: &Path) {
    let storage = open(file);
    let damage = storage.read_blocking(maintenance::find_damage).unwrap();
    assert!(damage.is_empty(), "{damage:?}");
    let count = "select count(*) from idempotency";
    let count =
        storage.read_blocking(|read| read.query_exactly_one(count, &[], |row| row.integer(0)));
    assert_eq!(count.unwrap(), i64::try_from(LATER_COMMITS).unwrap() + 3);
    storage.check_syncs().unwrap();
    drop(storage);
    assert!(!beside(file, "-wal").exists(), "the restart moved the log");
}

#[test]
fn a_failed_sync_of_the_file_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let file = folder.join("onward.db");
    let writing = Command::new(env::current_exe().unwrap())
        .args([
            "--exact",
            "failing_syncs::a_program_writes_to_a_failing_disk",
        ])
        .env("LD_PRELOAD", build_disk(&folder))
        .env(FILE, &file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&writing.stdout);
    assert!(writing.status.success(), "{said}");
    expect_all_rows(&cut_power(&file, &folder));
    expect_all_rows(&file);
}

/// The part of the test above that runs in another process.
#[test]
fn a_program_writes_to_a_failing_disk() {
    let Some(file) = env::var_os(FILE).map(PathBuf::from) else {
        return;
    };
    let storage = open(&file);
    commit(&storage, false);
    // The rest of the log has to wait for this reader, so that SQLite moves its beginning without a sync.
    let reader = Connection::open(&file).unwrap();
    reader
        .execute_batch("begin; select 1 from idempotency")
        .unwrap();
    assert!(file.metadata().unwrap().len() < MEBIBYTE);
    commit(&storage, true);
    let is_begun = || file.metadata().unwrap().len() > MEBIBYTE;
    wait_until("the beginning of the log is moved", is_begun);
    drop(reader);
    storage.check_syncs().unwrap();
    fs::write(beside(&file, ".fails"), "").unwrap();
    commit(&storage, true);
    wait_until("a sync fails", || beside(&file, ".failed").exists());
    fs::remove_file(beside(&file, ".fails")).unwrap();
    wait_until("the store says so", || storage.check_syncs().is_err());
    // Another program on this store moves nothing either.
    let other = open(&file);
    let said = other.check_syncs().unwrap_err().to_string();
    assert!(said.contains("a sync of its file failed"), "{said}");
    for _commit in 0..LATER_COMMITS {
        commit(&other, true);
    }
    drop(other);
    drop(storage);
    assert!(beside(&file, "-wal").metadata().unwrap().len() > 64 * MEBIBYTE);
}

#[test]
fn a_failed_sync_before_a_kill_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("onward.db");
    drop(open(&file));
    let lock = beside(&file, ".lock");
    fs::write(&lock, "a sync of the store failed\n").unwrap();
    // Another program may open this file before the next one replaces it.
    let opened = fs::File::open(&lock).unwrap();
    let storage = open(&file);
    storage.check_syncs().unwrap();
    assert_eq!(opened.metadata().unwrap().len(), 0);
}
