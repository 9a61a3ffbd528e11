//! A place for a store of a test's own, and a counter in it.

use std::thread::JoinHandle;

use storage::{OpenOptions, Opening, Read, Result, Storage, StoreUrl, Write};

/// Readers, and for PostgreSQL writers, of one handle.
const CONNECTIONS: usize = 8;

/// Where a store is or will be; removed at the end.
pub(crate) struct Place {
    pub(crate) url: StoreUrl,
    _directory: Option<tempfile::TempDir>,
    database: Option<Database>,
}

struct Database {
    admin: String,
    name: String,
}

impl Place {
    pub(crate) fn on_sqlite() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self {
            url: StoreUrl::Sqlite(directory.path().join("onward.db")),
            _directory: Some(directory),
            database: None,
        }
    }

    /// None where no PostgreSQL was started for the tests.
    pub(crate) fn on_postgres() -> Option<Self> {
        let Ok(admin) = std::env::var("ONWARD_TEST_POSTGRES") else {
            assert!(
                std::env::var("CI").is_err(),
                "ONWARD_TEST_POSTGRES is not set: run the tests with scripts/test"
            );
            eprintln!("skipped on PostgreSQL: run scripts/test, which starts one");
            return None;
        };
        let name = format!("storage_{}", uuid::Uuid::new_v4().simple());
        let (base, _database) = admin.rsplit_once('/').unwrap();
        let url = StoreUrl::Postgres(format!("{base}/{name}"));
        let database = Database { admin, name };
        database.run("create database");
        Some(Self {
            url,
            _directory: None,
            database: Some(database),
        })
    }

    /// Removes everything in it; nobody may have it open.
    pub(crate) fn clear(&self) {
        match &self.url {
            StoreUrl::Sqlite(path) => {
                for ending in ["", "-wal", "-shm", ".lock"] {
                    drop(std::fs::remove_file(format!("{}{ending}", path.display())));
                }
            }
            StoreUrl::Postgres(_) => self.run("drop schema public cascade; create schema public"),
        }
    }

    pub(crate) fn is_postgres(&self) -> bool {
        self.database.is_some()
    }

    pub(crate) fn try_open(&self) -> Result<Storage> {
        let is_missing = matches!(&self.url, StoreUrl::Sqlite(path) if !path.exists());
        self.open_to(if is_missing {
            Opening::Make
        } else {
            Opening::Upgrade
        })
    }

    pub(crate) fn open_to(&self, opening: Opening) -> Result<Storage> {
        let options = OpenOptions {
            opening,
            connections: CONNECTIONS,
            postgres_ca_pem: None,
        };
        Storage::open(&self.url, &options)
    }

    pub(crate) fn open(&self) -> Storage {
        self.try_open().unwrap()
    }

    /// Runs SQL beside the program, as an operator might.
    pub(crate) fn run(&self, sql: &str) {
        match &self.url {
            StoreUrl::Sqlite(path) => {
                let connection = rusqlite::Connection::open(path).unwrap();
                connection.execute_batch(sql).unwrap();
            }
            StoreUrl::Postgres(url) => connect(url).batch_execute(sql).unwrap(),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(database) = &self.database {
            database.run("drop database");
        }
    }
}

impl Database {
    fn run(&self, verb: &str) {
        let force = if verb.starts_with("drop") {
            " with (force)"
        } else {
            ""
        };
        let sql = format!("{verb} {}{force}", self.name);
        connect(&self.admin).batch_execute(&sql).unwrap();
    }
}

fn connect(url: &str) -> postgres::Client {
    postgres::Client::connect(url, postgres::NoTls).unwrap()
}

/// A store with the counter at 0.
pub(crate) fn open_with_counter(place: &Place) -> Storage {
    let storage = place.open();
    storage
        .write_blocking(|write| {
            write.execute("insert into revision (name, value) values ('test', 0)", &[])
        })
        .unwrap();
    storage
}

/// The counter.
pub(crate) fn read_counter(read: &mut Read<'_>) -> Result<i64> {
    read.query_exactly_one(
        "select value from revision where name = 'test'",
        &[],
        |row| row.integer(0),
    )
}

/// Sets the counter.
pub(crate) fn set_counter(write: &mut Write<'_>, value: i64) -> Result<u64> {
    write.execute(
        "update revision set value = $1 where name = 'test'",
        &[value.into()],
    )
}

/// Reads the counter and writes the next number, in two statements: where
/// transactions are not kept apart, updates get lost.
pub(crate) fn increment(write: &mut Write<'_>) -> Result<i64> {
    let value = read_counter(write)? + 1;
    set_counter(write, value)?;
    Ok(value)
}

/// The counter as a new reader sees it.
pub(crate) fn counted(storage: &Storage) -> i64 {
    storage.read_blocking(read_counter).unwrap()
}

/// What this statement counts.
pub(crate) fn count(storage: &Storage, sql: &'static str) -> i64 {
    storage
        .read_blocking(move |read| read.query_exactly_one(sql, &[], |row| row.integer(0)))
        .unwrap()
}

/// Runs a piece of work on a thread of its own.
pub(crate) fn beside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    std::thread::spawn(work)
}

/// Waits for async work on this thread.
pub(crate) fn wait_for<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap()
        .block_on(work)
}
