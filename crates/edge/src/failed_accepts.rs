//! Connections that could not be accepted: their lines in the log, and files kept free for a listener
//! that must answer when no other file can be opened.

use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use observe::sums::{Rules, Sum, Sums};

use crate::limits;

/// Writes one line a second for each reason.
#[derive(Debug)]
pub struct FailedAccepts(Sums<String, SocketAddr>);

impl Default for FailedAccepts {
    fn default() -> Self {
        Self(Sums::new(Rules {
            within: limits::ACCEPTS_SUMMED,
            kinds_max: limits::ACCEPT_REASONS_MAX,
            write: |sum: Sum<String, SocketAddr>| {
                tracing::warn!(
                    event = "accepts_failed",
                    count = sum.count,
                    listener = %sum.first,
                    reason = sum.key,
                    "connections could not be accepted, and wait"
                );
            },
            write_others: |count| {
                let event = "accepts_failed";
                tracing::warn!(
                    event,
                    count,
                    "connections could not be accepted for other reasons"
                );
            },
        }))
    }
}

impl FailedAccepts {
    /// Counts one attempt of the listener at this address.
    pub(crate) fn note(&self, listener: io::Result<SocketAddr>, error: &io::Error) {
        let unknown = SocketAddr::from(([0, 0, 0, 0], 0));
        self.0
            .count(error.to_string(), || listener.unwrap_or(unknown));
    }
}

/// Open files without a use. Closing one lets a listener that may use them accept one more connection.
#[derive(Debug)]
pub struct SpareFiles(Mutex<Vec<File>>);

impl SpareFiles {
    /// Opens the files, as far as the process may.
    pub fn open() -> Self {
        let spare = Self(Mutex::default());
        spare.refill();
        spare
    }

    /// Opens the files again that were given up, as far as the process may. A listener calls this before it
    /// tries again to accept, because files that become free belong here first.
    pub(crate) fn refill(&self) {
        let mut files = self.lock();
        while files.len() < limits::SPARE_FILES {
            match File::open("/dev/null") {
                Ok(file) => files.push(file),
                Err(_none_is_free) => return,
            }
        }
    }

    /// Gives one up. `false`: there is none.
    pub(crate) fn give_up(&self) -> bool {
        self.lock().pop().is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<File>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
