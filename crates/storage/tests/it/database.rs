//! A new database for each test, a counter in it, and threads that use it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::thread;
pub(crate) use std::thread::spawn;

use storage::sealing::{Sealable, SealedDocument};
use storage::{OpenOptions, Opening, Read, Result, Storage, StoreUrl, Write};

/// Readers of each handle, and on PostgreSQL writers under row locks.
pub(crate) const CONNECTIONS: usize = 8;

/// An SQLite file or a PostgreSQL database with all tables. Dropping it removes it.
pub(crate) struct TestDatabase {
    pub(crate) url: StoreUrl,
    _folder: Option<tempfile::TempDir>,
    /// The URL of the server and the name of the database.
    postgres: Option<(String, String)>,
}

impl TestDatabase {
    pub(crate) fn on_sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("onward.db");
        std::fs::write(&path, template_file()).unwrap();
        Self {
            url: StoreUrl::Sqlite(path),
            _folder: Some(folder),
            postgres: None,
        }
    }

    /// `None` if no PostgreSQL was started for the tests.
    pub(crate) fn on_postgres() -> Option<Self> {
        let Ok(server) = std::env::var("ONWARD_TEST_POSTGRES") else {
            assert!(
                std::env::var("CI").is_err(),
                "ONWARD_TEST_POSTGRES is not set: run the tests with scripts/test"
            );
            eprintln!("skipped on PostgreSQL: run scripts/test, which starts one");
            return None;
        };
        let name = format!("storage_{}", uuid::Uuid::new_v4().simple());
        let template = template_database(&server);
        run_on_postgres(
            &server,
            &format!("create database {name} template {template}"),
        );
        Some(Self {
            url: StoreUrl::Postgres(url_of(&server, &name)),
            _folder: None,
            postgres: Some((server, name)),
        })
    }

    pub(crate) fn is_postgres(&self) -> bool {
        self.postgres.is_some()
    }

    /// The path of the SQLite file.
    pub(crate) fn path(&self) -> &Path {
        match &self.url {
            StoreUrl::Sqlite(path) => path,
            StoreUrl::Postgres(url) => panic!("{url} has no path"),
        }
    }

    /// A path in the folder of the SQLite file.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.path().with_file_name(name)
    }

    /// The names of the files in that folder, in order.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path().parent().unwrap()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    pub(crate) fn try_open(&self) -> Result<Storage> {
        let is_missing = !self.is_postgres() && !self.path().exists();
        self.open_to(if is_missing {
            Opening::Create
        } else {
            Opening::Upgrade
        })
    }

    pub(crate) fn open_to(&self, opening: Opening) -> Result<Storage> {
        open_to(&self.url, opening)
    }

    pub(crate) fn open(&self) -> Storage {
        self.try_open().unwrap()
    }

    /// The address of the PostgreSQL database for another role.
    pub(crate) fn url_as(&self, role: &str) -> StoreUrl {
        let StoreUrl::Postgres(url) = &self.url else {
            panic!("not on PostgreSQL");
        };
        let (_role, host) = url.rsplit_once('@').unwrap();
        StoreUrl::Postgres(format!("postgres://{role}@{host}"))
    }

    /// Two handles, which are two nodes, or two processes on one file.
    pub(crate) fn open_two(&self) -> [Storage; 2] {
        [open_with_counter(self), self.open()]
    }

    /// Runs SQL on a separate connection, as an operator might.
    pub(crate) fn run(&self, sql: &str) {
        match &self.url {
            StoreUrl::Sqlite(path) => {
                let connection = rusqlite::Connection::open(path).unwrap();
                connection.execute_batch(sql).unwrap();
            }
            StoreUrl::Postgres(url) => run_on_postgres(url, sql),
        }
    }

    /// A separate connection to PostgreSQL.
    pub(crate) fn connect_to_postgres(&self) -> postgres::Client {
        let StoreUrl::Postgres(url) = &self.url else {
            panic!("not on PostgreSQL");
        };
        connect(url)
    }

    /// Reads one integer on a separate connection to PostgreSQL.
    pub(crate) fn count_on_postgres(&self, sql: &str) -> i64 {
        let row = self.connect_to_postgres().query_one(sql, &[]);
        row.unwrap().get(0)
    }

    /// Deletes everything. Nobody may have the database open.
    pub(crate) fn clear(&self) {
        if self.is_postgres() {
            self.run("drop schema public cascade; create schema public");
        } else {
            std::fs::remove_file(self.path()).unwrap();
        }
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if let Some((server, name)) = &self.postgres {
            run_on_postgres(server, &format!("drop database {name} with (force)"));
        }
    }
}

/// The bytes of a new SQLite file. The first caller makes them.
fn template_file() -> &'static [u8] {
    static TEMPLATE: OnceLock<Vec<u8>> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("onward.db");
        drop(open_to(&StoreUrl::Sqlite(path.clone()), Opening::Create).unwrap());
        std::fs::read(path).unwrap()
    })
}

/// The database that this process copies, and how to copy it. The first caller makes it. The connection that
/// stays open until the process ends bears its name: a template whose connection is gone is removed by the
/// next process.
fn template_database(server: &str) -> &'static str {
    static TEMPLATE: OnceLock<(String, Mutex<postgres::Client>)> = OnceLock::new();
    let (name, _keeper) = TEMPLATE.get_or_init(|| {
        let name = format!("storage_template_{}", uuid::Uuid::new_v4().simple());
        let mut config: postgres::Config = server.parse().unwrap();
        let keeper = config.application_name(&name).connect(postgres::NoTls);
        let mut keeper = keeper.unwrap();
        let left = "select datname from pg_database where datname like 'storage\\_template\\_%' \
            and datname not in (select application_name from pg_stat_activity)";
        for row in keeper.query(left, &[]).unwrap() {
            let left: &str = row.get(0);
            // Another process may be quicker.
            drop(keeper.batch_execute(&format!("drop database if exists {left}")));
        }
        let create = format!("create database {name}");
        keeper.batch_execute(&create).unwrap();
        let url = StoreUrl::Postgres(url_of(server, &name));
        drop(open_to(&url, Opening::Create).unwrap());
        let version = keeper.query_one("select current_setting('server_version_num')::int", &[]);
        let copies_files = version.unwrap().get::<_, i32>(0) >= 150_000;
        // Older versions have no other strategy. Copied through the log, a database costs half as much again.
        let strategy = if copies_files {
            " strategy file_copy"
        } else {
            ""
        };
        (format!("{name}{strategy}"), Mutex::new(keeper))
    });
    name
}

fn url_of(server: &str, database: &str) -> String {
    let (base, _database) = server.rsplit_once('/').unwrap();
    format!("{base}/{database}")
}

fn open_to(url: &StoreUrl, opening: Opening) -> Result<Storage> {
    let options = OpenOptions {
        opening,
        connections: CONNECTIONS,
        postgres_ca_pem: None,
        postgres_plaintext: false,
        postgres_password: None,
        long_statements: false,
        seal,
    };
    Storage::open(url, &options)
}

fn run_on_postgres(url: &str, sql: &str) {
    connect(url).batch_execute(sql).unwrap();
}

fn connect(url: &str) -> postgres::Client {
    postgres::Client::connect(url, postgres::NoTls).unwrap()
}

/// Seals a state as the text of its listings and milestones. Its digest is the number of its bytes.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the type `storage::Seal` has an error"
)]
pub(crate) fn seal(sealable: &Sealable<'_>) -> std::result::Result<SealedDocument, String> {
    let text = match sealable {
        Sealable::State(state) => {
            let shown = state.listings.iter();
            let shown = shown.map(|one| (one.listing.0, one.milestones.len()));
            format!("{:?}", shown.collect::<Vec<_>>())
        }
        Sealable::Empty(_) => "empty".to_owned(),
        Sealable::Dissolved { into, .. } => format!("into {into}"),
    };
    let mut digest = [0; 32];
    digest[0] = u8::try_from(text.len()).unwrap_or(u8::MAX);
    let document = text.into_bytes();
    Ok(SealedDocument {
        form: 1,
        digest,
        document,
    })
}

#[track_caller]
pub(crate) fn open_file(path: &Path) -> Storage {
    Storage::open(&StoreUrl::Sqlite(path.to_owned()), &OpenOptions::new(seal)).unwrap()
}

#[track_caller]
pub(crate) fn read<T: Send + 'static>(
    storage: &Storage,
    work: impl FnOnce(&mut Read<'_>) -> Result<T> + Send + 'static,
) -> T {
    storage.read_blocking(work).unwrap()
}

#[track_caller]
pub(crate) fn write<T: Send + 'static>(
    storage: &Storage,
    work: impl FnMut(&mut Write<'_>) -> Result<T> + Send + 'static,
) -> T {
    storage.write_blocking(work).unwrap()
}

/// Waits for async work on this thread.
pub(crate) fn wait_for<T>(work: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_time().build().unwrap().block_on(work)
}

/// Runs work on `count` threads, which use the handles in turns. Returns the results in order.
pub(crate) fn on_threads<T: Send>(
    count: usize,
    handles: &[Storage],
    work: impl Fn(&Storage, usize) -> T + Sync,
) -> Vec<T> {
    thread::scope(|scope| {
        let start = |number: usize| {
            let (handle, work) = (&handles[number % handles.len()], &work);
            scope.spawn(move || work(handle, number))
        };
        let threads: Vec<_> = (0..count).map(start).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}

/// Reads one integer.
#[track_caller]
pub(crate) fn count(storage: &Storage, sql: &'static str) -> i64 {
    read(storage, move |read| {
        read.query_exactly_one(sql, &[], |row| row.integer(0))
    })
}

/// A store with the counter at 0.
pub(crate) fn open_with_counter(database: &TestDatabase) -> Storage {
    let storage = database.open();
    database.run("insert into revision (name, value) values ('test', 0)");
    storage
}

pub(crate) fn read_counter(read: &mut Read<'_>) -> Result<i64> {
    let sql = "select value from revision where name = 'test'";
    read.query_exactly_one(sql, &[], |row| row.integer(0))
}

pub(crate) fn set_counter(write: &mut Write<'_>, value: i64) -> Result<u64> {
    let sql = "update revision set value = $1 where name = 'test'";
    write.execute(sql, &[value.into()])
}

/// Reads the counter and writes the next number, in two statements. Without isolation of
/// transactions, updates get lost.
pub(crate) fn increment(write: &mut Write<'_>) -> Result<i64> {
    let value = read_counter(write)? + 1;
    set_counter(write, value)?;
    Ok(value)
}

/// The counter as a new reader sees it.
#[track_caller]
pub(crate) fn counted(storage: &Storage) -> i64 {
    read(storage, read_counter)
}

/// A point in the middle of a transaction at which it waits, until the test resumes or drops this.
/// Later hits pass.
#[derive(Default)]
pub(crate) struct Breakpoint(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    hits: usize,
    is_resumed: bool,
}

impl Breakpoint {
    /// The function with which work hits the breakpoint.
    pub(crate) fn hit(&self) -> impl Fn() + Clone + Send + 'static {
        let shared = Arc::clone(&self.0);
        move || {
            let (state, changed) = &*shared;
            let mut state = state.lock().unwrap();
            state.hits += 1;
            changed.notify_all();
            drop(changed.wait_while(state, |state| !state.is_resumed));
        }
    }

    pub(crate) fn wait_for_hits(&self, hits: usize) {
        let (state, changed) = &*self.0;
        drop(changed.wait_while(state.lock().unwrap(), |state| state.hits < hits));
    }

    pub(crate) fn resume(&self) {
        let (state, changed) = &*self.0;
        state.lock().unwrap().is_resumed = true;
        changed.notify_all();
    }
}

impl Drop for Breakpoint {
    fn drop(&mut self) {
        self.resume();
    }
}
