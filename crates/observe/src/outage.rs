//! Logs work that is tried often once when it begins to fail, and once when it works again.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// Work that may fail many times in a row.
#[derive(Debug)]
pub struct Outage {
    what_fails: &'static str,
    is_failing: AtomicBool,
}

/// A change that the log has to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Began,
    Ended,
}

impl Outage {
    /// Work that has not failed yet. The log says `what_fails`, a sentence without a full stop.
    pub const fn new(what_fails: &'static str) -> Self {
        Self {
            what_fails,
            is_failing: AtomicBool::new(false),
        }
    }

    /// Logs the first of several failures in a row, and the end of them. Returns the value of a
    /// success.
    pub fn note<T>(&self, outcome: Result<T, impl fmt::Display>) -> Option<T> {
        let change = self.change(outcome.is_err());
        match outcome {
            Ok(value) => {
                if change.is_some() {
                    tracing::info!(ended = self.what_fails, "this works again");
                }
                Some(value)
            }
            Err(error) => {
                if change.is_some() {
                    tracing::warn!(%error, "{}", self.what_fails);
                }
                None
            }
        }
    }

    fn change(&self, is_failing: bool) -> Option<Change> {
        let was_failing = self.is_failing.swap(is_failing, Ordering::Relaxed);
        match (was_failing, is_failing) {
            (false, true) => Some(Change::Began),
            (true, false) => Some(Change::Ended),
            (true, true) | (false, false) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_beginning_and_the_end_are_changes() {
        let outage = Outage::new("the store cannot be read");
        for (is_failing, expected) in [
            (false, None),
            (true, Some(Change::Began)),
            (true, None),
            (false, Some(Change::Ended)),
            (false, None),
            (true, Some(Change::Began)),
        ] {
            assert_eq!(outage.change(is_failing), expected, "{is_failing}");
        }
    }
}
