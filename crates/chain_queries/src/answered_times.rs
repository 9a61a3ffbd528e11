//! Lets no version get a time of which an answer has given the state (S-60).
//!
//! A change takes its time before its commit, from the clock of its node. The commit may take long, and the clock
//! may be behind. So the first answer about a time notes it in the store, when no change is under way. A change
//! that comes later gets a later time.

use std::sync::atomic::{AtomicI64, Ordering};

use storage::{Storage, StorageError, sealed};
use tokio::sync::Mutex;

use crate::limits::AS_OF_AGE_SECONDS_MIN;

/// The newest time that this node knows to be noted.
#[derive(Debug, Default)]
pub(crate) struct AnsweredTimes {
    /// Unix seconds; 0: none.
    noted: AtomicI64,
    /// One query notes the time for all that wait.
    noting: Mutex<()>,
}

impl AnsweredTimes {
    /// Notes the time `as_of`, in Unix seconds, before its state is read. It notes the newest time for which a
    /// query can ask at `now`, so that queries note at most one time a second.
    pub(crate) async fn note(
        &self,
        storage: &Storage,
        as_of: i64,
        now: i64,
    ) -> Result<(), StorageError> {
        let is_noted = || as_of <= self.noted.load(Ordering::SeqCst);
        if is_noted() {
            return Ok(());
        }
        let _turn = self.noting.lock().await;
        if is_noted() {
            return Ok(());
        }
        let until = as_of.max(now - AS_OF_AGE_SECONDS_MIN);
        storage
            .write_between_others(move |write| sealed::note_answered_until(write, until))
            .await?;
        self.noted.fetch_max(until, Ordering::SeqCst);
        Ok(())
    }
}
