//! Moves the log into the file of the store, beside the writer: a commit that had to wait for it would hold
//! up all others for some tenths of a second.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender, bounded};
use rusqlite::Connection;
use rusqlite::hooks::Wal;

use super::error::storage_error;
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

/// The thread that moves the log. Drop it after the writer's connection has closed: the last connection moves
/// the rest of the log, and two that close at the same time leave it.
#[derive(Debug)]
pub(super) struct Checkpoints {
    /// Keeps the thread running. The writer's connection drops its own sender before it closes.
    due: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpoints {
    /// Starts the thread, which uses a connection of its own. Both connections may write.
    pub(super) fn start(writer: &mut Connection, own: Connection) -> Result<Self> {
        let (due, dues) = bounded(1);
        let by_hook = due.clone();
        let moving = Arc::<Mutex<()>>::default();
        let by_writer = Arc::clone(&moving);
        let mut next = PAGES_DUE;
        let hooked = writer.wal_hook(Some(move |log: &mut Wal, pages| {
            if pages >= PAGES_MAX {
                let _others_have_ended = by_writer.lock().unwrap_or_else(PoisonError::into_inner);
                // The commit stands even if the log cannot be moved now.
                drop(log.checkpoint());
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
        let thread = std::thread::Builder::new()
            .name("onward-checkpoints".to_owned())
            .spawn(move || move_until_closed(&own, &moving, &dues))
            .map_err(|error| StorageError::Unavailable(error.to_string()))?;
        Ok(Self {
            due: Some(due),
            thread: Some(thread),
        })
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

fn move_until_closed(connection: &Connection, moving: &Mutex<()>, dues: &Receiver<()>) {
    for () in dues {
        let _writer_waits = moving.lock().unwrap_or_else(PoisonError::into_inner);
        let moved = connection.query_row(MOVE, [], |_row| Ok(()));
        if let Err(error) = moved {
            tracing::warn!(%error, "the log of the store could not be moved into its file");
        }
    }
}
