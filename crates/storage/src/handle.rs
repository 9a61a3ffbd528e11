//! The handle of an open store, which runs synchronous closures on it.

mod figures;
mod postgres_options;
mod store_url;
mod typed_write;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::oneshot;

use self::postgres_options::postgres_options;
pub use self::store_url::StoreUrl;
use self::typed_write::TypedWrite;
use crate::engine::{
    self, NotificationListener, PostgresEngine, ReadJob, ReadMode, SqliteEngine, WriteMode,
};
use crate::operator_changes::{Note, OperatorCommand};
use crate::session::{Read, Write};
use crate::store_time::{OwnTime, StoreTime};
use crate::{Result, Seal, StorageError, address_rebuild, maintenance};

/// How opening may change a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Opening {
    /// Not at all. An empty or older store is an error: programs of an older version may serve it.
    Unchanged,
    /// Creates a missing SQLite file, and the tables of an empty store.
    Create,
    /// Creates the tables of an empty store, and upgrades an older one.
    Upgrade,
}

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// How opening may change the store.
    pub opening: Opening,
    /// Threads that read, at least one. On PostgreSQL as many more write under row locks.
    pub connections: usize,
    /// PEM certificates of the authority that issued PostgreSQL's certificate. `None` connects to
    /// PostgreSQL without encryption.
    pub postgres_ca_pem: Option<Vec<u8>>,
    /// Whether a connection without encryption may leave this machine.
    pub postgres_plaintext: bool,
    /// PostgreSQL's password, instead of the one in the URL.
    pub postgres_password: Option<String>,
    /// Whether each statement on PostgreSQL may take a minute, because no request waits for it.
    pub long_statements: bool,
    /// Renders the documents of chains that are sealed.
    pub seal: Seal,
}

/// An open store. Clones share it. The last clone runs the queued work and closes the store.
#[derive(Debug, Clone)]
pub struct Storage {
    engine: Arc<Engine>,
    /// Whether a newer program has changed the store, so that this one may no longer use it.
    is_fenced: Arc<AtomicBool>,
    /// The operator's command that uses this handle.
    note: Option<Arc<Note>>,
    seal: Seal,
}

/// The error of a piece of work.
pub trait WorkError: From<StorageError> + Send + 'static {}

impl<E: From<StorageError> + Send + 'static> WorkError for E {}

#[derive(Debug)]
enum Engine {
    Sqlite(SqliteEngine),
    Postgres(PostgresEngine),
}

impl OpenOptions {
    /// The options of a test or of a small program, which seals documents with this function.
    pub fn new(seal: Seal) -> Self {
        Self {
            opening: Opening::Upgrade,
            connections: 4,
            postgres_ca_pem: None,
            postgres_plaintext: false,
            postgres_password: None,
            long_statements: false,
            seal,
        }
    }
}

impl Storage {
    /// Opens a store and checks or upgrades its schema. This blocks, so async code must not call it.
    pub fn open(url: &StoreUrl, options: &OpenOptions) -> Result<Self> {
        let engine = match url {
            StoreUrl::Sqlite(path) => Engine::Sqlite(SqliteEngine::open(
                path,
                options.opening,
                options.connections,
            )?),
            StoreUrl::Postgres(text) => Engine::Postgres(PostgresEngine::open(
                &postgres_options(url, text, options)?,
                options.opening,
            )?),
        };
        let storage = Self {
            engine: Arc::new(engine),
            is_fenced: Arc::default(),
            note: None,
            seal: options.seal,
        };
        address_rebuild::bring_up_to_date(&storage, options.opening)?;
        Ok(storage)
    }

    /// The same store for an operator's command. It is noted with its first write.
    #[must_use]
    pub fn noting(self, command: OperatorCommand) -> Self {
        Self {
            note: Some(Arc::new(Note::new(command))),
            ..self
        }
    }

    /// Writes as requests do. Fails if requests would fail. Once a newer program has changed the store
    /// so that this one may not use it, all later calls fail with [`StorageError::Fenced`]. Returns the
    /// time of the store if `own` is there.
    pub async fn probe(&self, own: Option<OwnTime>) -> Result<Option<StoreTime>> {
        let probing = move |write: &mut Write<'_>| {
            maintenance::probe(write)?;
            own.map(|own| write.store_time(own)).transpose()
        };
        let probed = self.write(probing).await;
        if let Err(StorageError::Fenced) = probed {
            self.is_fenced.store(true, Ordering::Relaxed);
        }
        probed
    }

    fn refuse_fenced(&self) -> Result<()> {
        if self.is_fenced.load(Ordering::Relaxed) {
            return Err(StorageError::Fenced);
        }
        Ok(())
    }

    /// Runs `work` on one snapshot.
    pub async fn read<T: Send + 'static, E: WorkError>(
        &self,
        work: impl FnOnce(&mut Read<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E> {
        wait_for(self.submit_read(ReadMode::Snapshot, work)?).await
    }

    /// As [`Storage::read`], for frequent statements that each have an index. PostgreSQL's planner
    /// must use it.
    pub async fn read_by_index<T: Send + 'static, E: WorkError>(
        &self,
        work: impl FnOnce(&mut Read<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E> {
        wait_for(self.submit_read(ReadMode::SnapshotByIndex, work)?).await
    }

    /// Runs `work` without a snapshot: each statement sees the newest commit. This is for a few
    /// single-row statements on the hot path, because SQLite runs them on the caller's thread.
    pub async fn lookup<T: Send + 'static, E: WorkError>(
        &self,
        work: impl FnOnce(&mut Read<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E> {
        self.refuse_fenced()?;
        let answer = match self.engine.as_ref() {
            Engine::Sqlite(engine) => match engine.look_up(work) {
                Ok(outcome) => return outcome?,
                Err(work) => self.submit_read(ReadMode::Latest, work)?,
            },
            Engine::Postgres(_) => self.submit_read(ReadMode::Latest, work)?,
        };
        wait_for(answer).await
    }

    /// Runs `work` in a transaction and answers once its commit is durable. An error of `work` rolls
    /// back. `work` runs again after a conflict, so it must have no effect outside the store. Other
    /// writes wait for it and share its commit.
    pub async fn write<T: Send + 'static, E: WorkError>(
        &self,
        work: impl FnMut(&mut Write<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E> {
        wait_for(self.submit_write(WriteMode::Grouped, work)?).await
    }

    /// As [`Storage::write`], for work that may take long. On PostgreSQL other writes do not wait.
    pub async fn write_at_length<T: Send + 'static, E: WorkError>(
        &self,
        work: impl FnMut(&mut Write<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E> {
        wait_for(self.submit_write(WriteMode::Alone, work)?).await
    }

    /// As [`Storage::write`], but PostgreSQL locks only the changed rows. `work` must first change
    /// the one row on which all depends, such as a lane's, and must decide by nothing else.
    /// Serializable transactions would conflict with each other and with recordings, because their
    /// rows lie close together.
    pub async fn write_under_row_locks<T: Send + 'static, E: WorkError>(
        &self,
        work: impl FnMut(&mut Write<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E> {
        wait_for(self.submit_write(WriteMode::RowLocks, work)?).await
    }

    /// As [`Storage::write_under_row_locks`], for code without an async runtime.
    pub fn write_under_row_locks_blocking<T: Send + 'static, E: WorkError>(
        &self,
        work: impl FnMut(&mut Write<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E> {
        block_on(self.submit_write(WriteMode::RowLocks, work)?)
    }

    /// As [`Storage::write`], after each write that runs now and before each later one, of all nodes. They
    /// wait for it, so `work` must be short.
    pub async fn write_between_others<T: Send + 'static, E: WorkError>(
        &self,
        work: impl FnMut(&mut Write<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E> {
        wait_for(self.submit_write(WriteMode::Exclusive, work)?).await
    }

    /// Calls `on_notice` for each notification of a node other than `name`, until the returned value
    /// is dropped. SQLite has no notifications and returns `None`.
    pub fn listen_to_nodes(
        &self,
        name: &str,
        on_notice: impl Fn() + Send + 'static,
    ) -> Result<Option<NotificationListener>> {
        match self.engine.as_ref() {
            Engine::Sqlite(_) => Ok(None),
            Engine::Postgres(engine) => engine.listen(name.to_owned(), on_notice).map(Some),
        }
    }

    /// Says how the schema differs from the one that the migrations make. `None`: the role may not make
    /// that one for a comparison. The newer schema of a later program does not differ.
    pub fn list_schema_differences(&self) -> Result<Option<Vec<String>>> {
        match self.engine.as_ref() {
            Engine::Sqlite(_) => self
                .read_blocking(maintenance::list_schema_differences)
                .map(Some),
            Engine::Postgres(engine) => engine.list_schema_differences(),
        }
    }

    /// Notifies the other nodes of a commit. Call it after the commit.
    pub async fn notify_nodes(&self, name: &str) -> Result<()> {
        match self.engine.as_ref() {
            Engine::Sqlite(_) => Ok(()),
            Engine::Postgres(_) => {
                let name = name.to_owned();
                self.lookup(move |read| engine::notify(read, &name)).await
            }
        }
    }

    /// As [`Storage::read`], for code without an async runtime.
    pub fn read_blocking<T: Send + 'static, E: WorkError>(
        &self,
        work: impl FnOnce(&mut Read<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E> {
        block_on(self.submit_read(ReadMode::Snapshot, work)?)
    }

    /// As [`Storage::write`], for code without an async runtime.
    pub fn write_blocking<T: Send + 'static, E: WorkError>(
        &self,
        work: impl FnMut(&mut Write<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E> {
        self.write_noting(WriteMode::Grouped, work)
    }

    /// As [`Storage::write_blocking`], for a part of a long change that touches many rows. All other
    /// writes of all nodes wait for it, so a part must be short.
    pub fn write_part_blocking<T: Send + 'static, E: WorkError>(
        &self,
        work: impl FnMut(&mut Write<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E> {
        let done = self.write_noting(WriteMode::Exclusive, work);
        if let Engine::Sqlite(_) = self.engine.as_ref() {
            engine::let_others_write();
        }
        done
    }

    fn write_noting<T: Send + 'static, E: WorkError>(
        &self,
        mode: WriteMode,
        mut work: impl FnMut(&mut Write<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E> {
        let note = self.note.clone();
        let noting = move |write: &mut Write<'_>| {
            let done = work(write)?;
            if let Some(note) = &note {
                note.insert(write)?;
            }
            Ok::<_, E>(done)
        };
        let done = block_on(self.submit_write(mode, noting)?)?;
        if let Some(note) = &self.note {
            note.keep();
        }
        Ok(done)
    }

    fn submit_read<T: Send + 'static, E: WorkError>(
        &self,
        mode: ReadMode,
        work: impl FnOnce(&mut Read<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> Result<Answer<T, E>> {
        self.refuse_fenced()?;
        let (reply, answer) = oneshot::channel();
        let run = Box::new(move |read: Result<&mut Read<'_>>| {
            // The caller may have gone away, before the read or during it.
            if reply.is_closed() {
                return;
            }
            let _unwanted = reply.send(read.map_err(E::from).and_then(work));
        });
        let job = ReadJob { mode, run };
        match self.engine.as_ref() {
            Engine::Sqlite(engine) => engine.submit_read(job),
            Engine::Postgres(engine) => engine.submit_read(job),
        }?;
        Ok(answer)
    }

    fn submit_write<T: Send + 'static, E: WorkError>(
        &self,
        mode: WriteMode,
        work: impl FnMut(&mut Write<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> Result<Answer<T, E>> {
        self.refuse_fenced()?;
        let (reply, answer) = oneshot::channel();
        let job = Box::new(TypedWrite {
            mode,
            seal: self.seal,
            work,
            outcome: None,
            reply,
        });
        match self.engine.as_ref() {
            Engine::Sqlite(engine) => engine.submit_write(job),
            Engine::Postgres(engine) => engine.submit_write(job),
        }?;
        Ok(answer)
    }
}

/// The outcome of submitted work.
type Answer<T, E> = oneshot::Receiver<std::result::Result<T, E>>;

async fn wait_for<T, E: WorkError>(answer: Answer<T, E>) -> std::result::Result<T, E> {
    answer.await.map_err(|_| StorageError::Stopped)?
}

fn block_on<T, E: WorkError>(answer: Answer<T, E>) -> std::result::Result<T, E> {
    answer.blocking_recv().map_err(|_| StorageError::Stopped)?
}
