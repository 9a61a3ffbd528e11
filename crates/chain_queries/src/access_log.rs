//! Keeps which property each person looked up, and which client was shown which property if the setting
//! `access_log_days` asks for it.
//!
//! Answers wait in memory and are stored once a second, so that no query waits for the log. A killed
//! node loses the last second. A client that is shown a property again within one second makes one line.

use std::collections::BTreeSet;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chain::ids::PropertyId;
use prometheus_client::metrics::counter::Counter;
use storage::accesses::{self, Access, NO_PROPERTY};
use storage::people::PERSON_ACTOR;
use storage::{Storage, StorageError};
use tokio::sync::watch;

use crate::limits;

/// The log of one node.
#[derive(Debug)]
pub struct AccessLog {
    storage: Storage,
    is_kept: bool,
    waiting: Mutex<Vec<Access>>,
    /// Accesses that are not in the log because the store took none for too long.
    pub lost: Counter,
}

impl AccessLog {
    /// Opens the log, which stays empty if accesses are kept for no day.
    pub fn new(storage: Storage, days: u32) -> Self {
        Self {
            storage,
            is_kept: days > 0,
            waiting: Mutex::default(),
            lost: Counter::default(),
        }
    }

    /// Whether accesses of clients are kept.
    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept
    }

    /// Notes the properties that one answer showed a client at this Unix time, each once. An answer without
    /// a property is a line of its own: it tells how many matches there are.
    pub fn note(&self, now: i64, client: &str, properties: impl Iterator<Item = PropertyId>) {
        if self.is_kept {
            let mut properties: BTreeSet<_> = properties.collect();
            if properties.is_empty() {
                properties.insert(NO_PROPERTY);
            }
            self.push(now, client, properties.into_iter());
        }
    }

    /// Notes a property that a person looked up. These are always kept.
    pub fn note_person(&self, now: i64, person: &str, property: PropertyId) {
        self.push(now, person, std::iter::once(property));
    }

    fn push(&self, now: i64, client: &str, properties: impl Iterator<Item = PropertyId>) {
        let mut waiting = self.lock();
        for property in properties {
            if waiting.len() >= limits::ACCESSES_WAITING_MAX {
                self.lost.inc();
                continue;
            }
            waiting.push(Access {
                accessed_at: now,
                client: client.to_owned(),
                property,
            });
        }
    }

    /// Stores the accesses that wait. After an error they wait on.
    pub async fn store(&self) -> Result<(), StorageError> {
        let mut waiting = mem::take(&mut *self.lock());
        if waiting.is_empty() {
            return Ok(());
        }
        waiting.sort_unstable();
        waiting.dedup_by(|one, other| {
            // Each look-up of a person is a line.
            let is_counted = one.property == NO_PROPERTY || one.client.starts_with(PERSON_ACTOR);
            one == other && !is_counted
        });
        let waiting = Arc::new(waiting);
        let storing = Arc::clone(&waiting);
        let stored = self
            .storage
            .write_at_length(move |write| accesses::insert_accesses(write, &storing))
            .await;
        if stored.is_err() {
            let mut kept = Arc::unwrap_or_clone(waiting);
            let mut newer = self.lock();
            kept.append(&mut newer);
            let excess = kept.len().saturating_sub(limits::ACCESSES_WAITING_MAX);
            self.lost.inc_by(excess as u64);
            kept.truncate(limits::ACCESSES_WAITING_MAX);
            *newer = kept;
        }
        stored
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Access>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stores accesses once a second until `stop` turns true.
pub async fn run(log: Arc<AccessLog>, mut stop: watch::Receiver<bool>) {
    let mut has_failed = false;
    loop {
        tokio::select! {
            () = tokio::time::sleep(limits::ACCESSES_INTERVAL) => {}
            _stopped = stop.wait_for(|stop| *stop) => return,
        }
        let stored = log.store().await;
        if let Err(error) = &stored
            && !has_failed
        {
            tracing::warn!(%error, "accesses wait, because they cannot be stored");
        }
        has_failed = stored.is_err();
    }
}
