//! Connections that could not be accepted: their lines in the log, and files kept free for a listener
//! that must answer when no other file can be opened.

use std::fs::File;
use std::io;
use std::net::SocketAddr;

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

/// Open files without a use. Closing one lets the process accept one more connection.
#[derive(Debug)]
pub(crate) struct SpareFiles {
    files: Vec<File>,
    count: usize,
}

impl SpareFiles {
    /// Keeps so many files open.
    pub(crate) fn keep(count: usize) -> Self {
        let mut spare = Self {
            files: Vec::with_capacity(count),
            count,
        };
        spare.refill();
        spare
    }

    /// Opens the files again that were given up, as far as the process may.
    pub(crate) fn refill(&mut self) {
        while self.files.len() < self.count {
            match File::open("/dev/null") {
                Ok(file) => self.files.push(file),
                Err(_none_is_free) => return,
            }
        }
    }

    /// Gives one up. `false`: there is none.
    pub(crate) fn give_up(&mut self) -> bool {
        self.files.pop().is_some()
    }
}
