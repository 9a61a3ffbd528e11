//! Moves the log into the file of the store, beside the writer: a commit that had to wait for it would hold
//! up all others for some tenths of a second.
//!
//! SQLite counts a part of the log as moved before it syncs the file. After a failed sync, the disk may have
//! lost that part, and a later sync that succeeds says nothing about it. So nothing is moved any more until
//! every program has closed the store: the log still has everything, and the next start moves all of it again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded};
use rusqlite::config::DbConfig;
use rusqlite::hooks::Wal;
use rusqlite::{Connection, ffi};

use super::error::storage_error;
use super::file_lock::FileLock;
use crate::{Result, StorageError};

/// The log is moved when it has so many pages of 4 KiB, and again after each further step. The writer begins
/// it anew once all of it was moved.
const PAGES_DUE: i32 = 1_000;
const PAGES_STEP: i32 = 500;
/// With so many pages the writer moves the rest itself. Without that, a writer that never rests would let the
/// log grow for ever.
const PAGES_MAX: i32 = 16_000;

/// A statement that moves as much as it can without holding up anybody.
const MOVE: &str = "pragma wal_checkpoint(passive)";

/// Why nothing is moved, and how that ends.
const KEPT: &str = "a sync of its file failed, so its log is no longer moved into the file and grows; mend the \
                    disk, end every program that has the store open, and start them again";

/// The thread that moves the log. Drop it after the writer's connection has closed: the last connection moves
/// the rest of the log, and two that close at the same time leave it.
#[derive(Debug)]
pub(super) struct Checkpoints {
    /// Keeps the thread running. The writer's connection drops its own sender before it closes.
    due: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    moves: Arc<Moves>,
}

/// The moves of the log by all threads of this program.
#[derive(Debug)]
struct Moves {
    one_at_a_time: Mutex<()>,
    has_failed: AtomicBool,
    /// Tells the other programs that have the store open.
    lock: Option<Arc<FileLock>>,
}

impl Checkpoints {
    /// Starts the thread, which uses a connection of its own. Both connections may write. The programs that
    /// have the store open share `lock`.
    pub(super) fn start(
        writer: &mut Connection,
        own: Connection,
        lock: Option<Arc<FileLock>>,
    ) -> Result<Self> {
        let (due, dues) = bounded(1);
        let by_hook = due.clone();
        let moves = Arc::new(Moves {
            one_at_a_time: Mutex::default(),
            has_failed: AtomicBool::new(false),
            lock,
        });
        let by_writer = Arc::clone(&moves);
        let mut next = PAGES_DUE;
        let hooked = writer.wal_hook(Some(move |log: &mut Wal, pages| {
            if pages >= PAGES_MAX {
                // The commit stands even if the log cannot be moved now.
                by_writer.run(|| log.checkpoint());
            }
            // The log was begun anew.
            if pages < PAGES_DUE {
                next = PAGES_DUE;
            }
            if pages >= next && by_hook.try_send(()).is_ok() {
                next = pages + PAGES_STEP;
            }
            Ok(())
        }));
        hooked.map_err(storage_error)?;
        // The connection of the thread closes later, and only the last one may move the log.
        keep_log_at_close(writer).map_err(storage_error)?;
        let by_thread = Arc::clone(&moves);
        let thread = std::thread::Builder::new()
            .name("onward-checkpoints".to_owned())
            .spawn(move || by_thread.move_until_closed(&own, &dues))
            .map_err(|error| StorageError::Unavailable(error.to_string()))?;
        Ok(Self {
            due: Some(due),
            thread: Some(thread),
            moves,
        })
    }

    /// Fails after a failed sync.
    pub(super) fn check(&self) -> Result<()> {
        if self.moves.is_over() {
            return Err(StorageError::Unavailable(KEPT.to_owned()));
        }
        Ok(())
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.due = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

impl Moves {
    fn move_until_closed(&self, connection: &Connection, dues: &Receiver<()>) {
        for () in dues {
            self.run(|| connection.query_row(MOVE, [], |_row| Ok(())));
        }
        if self.is_over()
            && let Err(error) = keep_log_at_close(connection)
        {
            tracing::error!(%error, "the log of the store may be moved although a sync failed");
        }
    }

    /// Moves the log, unless a sync has failed.
    fn run(&self, move_log: impl FnOnce() -> rusqlite::Result<()>) {
        let others_have_ended = self.one_at_a_time.lock();
        let _others_have_ended = others_have_ended.unwrap_or_else(PoisonError::into_inner);
        if self.is_over() {
            return;
        }
        match move_log() {
            Ok(()) => {}
            Err(error) if is_failed_sync(&error) => self.end(&error),
            Err(error) => {
                tracing::warn!(%error, "the log of the store could not be moved into its file");
            }
        }
    }

    fn end(&self, error: &rusqlite::Error) {
        self.has_failed.store(true, Ordering::SeqCst);
        tracing::error!(%error, "the log of the store stays as it is: {KEPT}");
        if let Some(lock) = &self.lock
            && let Err(error) = lock.forbid_moves()
        {
            tracing::error!(%error, "other programs do not learn that a sync of the store failed");
        }
    }

    fn is_over(&self) -> bool {
        let by_others = || self.lock.as_ref().is_some_and(|lock| lock.forbids_moves());
        self.has_failed.load(Ordering::SeqCst) || by_others()
    }
}

/// Otherwise the last connection that closes moves the log.
fn keep_log_at_close(connection: &Connection) -> rusqlite::Result<bool> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
}

fn is_failed_sync(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    matches!(
        code,
        Some(ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC)
    )
}
