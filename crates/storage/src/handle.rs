//! The handle to an open store: `read` and `write` with synchronous closures.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use tokio::sync::oneshot;

use crate::engine::{
    self, Hearing, Manner, PostgresEngine, PostgresOptions, ReadJob, SqliteEngine, View, WriteJob,
};
use crate::session::{Read, Write};
use crate::{Result, StorageError, address_index};

/// Where a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreUrl {
    /// An SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL database, as `postgres://USER:PASSWORD@HOST:PORT/DATABASE`.
    Postgres(String),
}

/// What opening may do to a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Opening {
    /// Nothing. One that is empty or older is refused: programs of the older
    /// version may serve it.
    AsItIs,
    /// Makes an SQLite file that is not there, and the tables in an empty store.
    Make,
    /// Makes the tables in an empty store, and brings an older one up to date.
    Upgrade,
}

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// What opening may do.
    pub opening: Opening,
    /// Threads that read, at least one. On PostgreSQL each has a connection,
    /// and as many more write under row locks.
    pub connections: usize,
    /// PEM certificates of the authority that PostgreSQL's certificate must
    /// come from. Without, the connection to PostgreSQL is not encrypted.
    pub postgres_ca_pem: Option<Vec<u8>>,
}

/// An open store. Clones share it; the last one closes it, after the work
/// that was already queued.
#[derive(Debug, Clone)]
pub struct Storage {
    engine: Arc<Engine>,
}

#[derive(Debug)]
enum Engine {
    Sqlite(SqliteEngine),
    Postgres(PostgresEngine),
}

impl FromStr for StoreUrl {
    type Err = StorageError;

    fn from_str(text: &str) -> Result<Self> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        let path = text.strip_prefix("sqlite:").unwrap_or(text);
        if path.is_empty() || path.contains("://") {
            // What follows the scheme may hold a password.
            let shown = path.split_once("://");
            let shown = shown.map_or_else(String::new, |(scheme, _rest)| format!("{scheme}://…"));
            return Err(StorageError::BadUrl(shown));
        }
        Ok(Self::Sqlite(PathBuf::from(path)))
    }
}

impl std::fmt::Display for StoreUrl {
    /// The store's name without any password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sqlite(path) => path.display().fmt(formatter),
            Self::Postgres(url) => {
                let shown = url.rsplit_once('@').map_or_else(
                    || url.clone(),
                    |(_credentials, address)| format!("postgres://{address}"),
                );
                // A query part may hold a password as well.
                formatter.write_str(shown.split('?').next().unwrap_or_default())
            }
        }
    }
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            opening: Opening::Upgrade,
            connections: 4,
            postgres_ca_pem: None,
        }
    }
}

impl Storage {
    /// Opens a store, with the schema of this program. Blocks; call it outside
    /// of async code.
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
        };
        address_index::bring_up_to_date(&storage, options.opening)?;
        Ok(storage)
    }

    /// Runs `work` on one consistent snapshot.
    pub async fn read<T, E>(
        &self,
        work: impl FnOnce(&mut Read<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<StorageError> + Send + 'static,
    {
        let answer = self.submit_read(View::Snapshot, work)?;
        answer.await.map_err(|_| StorageError::Stopped)?
    }

    /// As [`Storage::read`], for statements that have an index each and run so
    /// often that a planner's wrong guess would be a calamity.
    pub async fn read_by_index<T, E>(
        &self,
        work: impl FnOnce(&mut Read<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<StorageError> + Send + 'static,
    {
        let answer = self.submit_read(View::SnapshotByIndex, work)?;
        answer.await.map_err(|_| StorageError::Stopped)?
    }

    /// Runs `work` without a snapshot: each of its statements sees the newest
    /// commit. For a few single-row statements on the hot path, because on
    /// SQLite they run on the caller's own thread; more than that belongs into
    /// [`Storage::read`].
    pub async fn lookup<T, E>(
        &self,
        work: impl FnOnce(&mut Read<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<StorageError> + Send + 'static,
    {
        let answer = match self.engine.as_ref() {
            Engine::Sqlite(engine) => match engine.look_up(work) {
                Ok(outcome) => return outcome?,
                Err(work) => self.submit_read(View::Newest, work)?,
            },
            Engine::Postgres(_) => self.submit_read(View::Newest, work)?,
        };
        answer.await.map_err(|_| StorageError::Stopped)?
    }

    /// Runs `work` in one transaction and answers once it is durable. An error
    /// of `work` undoes it. `work` may run again after a conflict with another
    /// transaction, so it must have no effect outside of the store. What others
    /// write at the same time waits for it, and is committed with it.
    pub async fn write<T, E>(
        &self,
        work: impl FnMut(&mut Write<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<StorageError> + Send + 'static,
    {
        let answer = self.submit_write(Manner::Grouped, work)?;
        answer.await.map_err(|_| StorageError::Stopped)?
    }

    /// As [`Storage::write`], for work that may take long: on PostgreSQL others
    /// do not wait for it.
    pub async fn write_at_length<T, E>(
        &self,
        work: impl FnMut(&mut Write<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<StorageError> + Send + 'static,
    {
        let answer = self.submit_write(Manner::Alone, work)?;
        answer.await.map_err(|_| StorageError::Stopped)?
    }

    /// As [`Storage::write`], but on PostgreSQL only the rows that `work` changes
    /// are kept from others: for work that begins by changing the one row on
    /// which all depends, such as a lane's, and decides upon nothing else.
    /// Serializable transactions that run all the time would undo each other,
    /// and the recordings beside them, because of rows that merely lie near.
    pub async fn write_under_row_locks<T, E>(
        &self,
        work: impl FnMut(&mut Write<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<StorageError> + Send + 'static,
    {
        let answer = self.submit_write(Manner::RowLocks, work)?;
        answer.await.map_err(|_| StorageError::Stopped)?
    }

    /// As [`Storage::write_under_row_locks`], for code without an async runtime.
    pub(crate) fn write_under_row_locks_blocking<T, E>(
        &self,
        work: impl FnMut(&mut Write<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<StorageError> + Send + 'static,
    {
        let answer = self.submit_write(Manner::RowLocks, work)?;
        answer.blocking_recv().map_err(|_| StorageError::Stopped)?
    }

    /// Calls `hear` whenever another node than `name` says that there is something new, until the
    /// answer is dropped. None on SQLite, where nobody says so.
    pub fn hear_nodes(
        &self,
        name: &str,
        hear: impl Fn() + Send + 'static,
    ) -> Result<Option<Hearing>> {
        match self.engine.as_ref() {
            Engine::Sqlite(_) => Ok(None),
            Engine::Postgres(engine) => engine.hear(name.to_owned(), hear).map(Some),
        }
    }

    /// Says to the other nodes that there is something new, after the commit that brought it.
    pub async fn tell_nodes(&self, name: &str) -> Result<()> {
        match self.engine.as_ref() {
            Engine::Sqlite(_) => Ok(()),
            Engine::Postgres(_) => {
                let name = name.to_owned();
                self.lookup(move |read| engine::tell(read, &name)).await
            }
        }
    }

    /// As [`Storage::read`], for commands without an async runtime.
    pub fn read_blocking<T, E>(
        &self,
        work: impl FnOnce(&mut Read<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<StorageError> + Send + 'static,
    {
        let answer = self.submit_read(View::Snapshot, work)?;
        answer.blocking_recv().map_err(|_| StorageError::Stopped)?
    }

    /// As [`Storage::write`], for commands without an async runtime.
    pub fn write_blocking<T, E>(
        &self,
        work: impl FnMut(&mut Write<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E>
    where
        T: Send + 'static,
        E: From<StorageError> + Send + 'static,
    {
        let answer = self.submit_write(Manner::Grouped, work)?;
        answer.blocking_recv().map_err(|_| StorageError::Stopped)?
    }

    fn submit_read<T, E>(
        &self,
        view: View,
        work: impl FnOnce(&mut Read<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> Result<oneshot::Receiver<std::result::Result<T, E>>>
    where
        T: Send + 'static,
        E: From<StorageError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let run = Box::new(move |read: Result<&mut Read<'_>>| {
            // The asker may have gone away: then nobody wants the answer.
            let _unwanted = reply.send(read.map_err(E::from).and_then(work));
        });
        let job = ReadJob { view, run };
        match self.engine.as_ref() {
            Engine::Sqlite(engine) => engine.submit_read(job),
            Engine::Postgres(engine) => engine.submit_read(job),
        }?;
        Ok(answer)
    }

    fn submit_write<T, E>(
        &self,
        manner: Manner,
        work: impl FnMut(&mut Write<'_>) -> std::result::Result<T, E> + Send + 'static,
    ) -> Result<oneshot::Receiver<std::result::Result<T, E>>>
    where
        T: Send + 'static,
        E: From<StorageError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(TypedWrite {
            manner,
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

struct TypedWrite<T, E, W> {
    manner: Manner,
    work: W,
    outcome: Option<std::result::Result<T, E>>,
    reply: oneshot::Sender<std::result::Result<T, E>>,
}

impl<T, E, W> WriteJob for TypedWrite<T, E, W>
where
    T: Send,
    E: From<StorageError> + Send,
    W: FnMut(&mut Write<'_>) -> std::result::Result<T, E> + Send,
{
    fn manner(&self) -> Manner {
        self.manner
    }

    fn run(&mut self, write: &mut Write<'_>) -> bool {
        let outcome = (self.work)(write);
        let keep = outcome.is_ok();
        self.outcome = Some(outcome);
        keep
    }

    fn finish(self: Box<Self>, ended: Result<()>) {
        let outcome = match (self.outcome, ended) {
            (Some(outcome), Ok(())) => outcome,
            (None, Ok(())) => Err(E::from(StorageError::Stopped)),
            (_, Err(error)) => Err(E::from(error)),
        };
        let _unwanted = self.reply.send(outcome);
    }
}

fn postgres_options(url: &StoreUrl, text: &str, options: &OpenOptions) -> Result<PostgresOptions> {
    let target = url.to_string();
    let mut config: postgres::Config =
        text.parse()
            .map_err(|error: postgres::Error| StorageError::Open {
                target: target.clone(),
                reason: error.to_string(),
            })?;
    let tls = options
        .postgres_ca_pem
        .as_deref()
        .map(|pem| engine::trust(pem, &target))
        .transpose()?;
    if tls.is_some() {
        // Otherwise whoever answers may choose to go on in plain text.
        config.ssl_mode(postgres::config::SslMode::Require);
    }
    Ok(PostgresOptions {
        config,
        tls,
        target,
        connections: options.connections,
    })
}
