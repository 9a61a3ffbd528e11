//! The key set that all tasks of a receiver share, fetched by one of them at a time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use signing::jwk::JwkSet;

use crate::connection::open_connection;
use crate::key_set::download;
use crate::{ClientError, Clock, Trust};

/// The shortest time between two fetches, in seconds, whatever made the second one wanted.
pub(super) const REFETCH_SECONDS: u64 = 5;
/// Time for one fetch, in seconds: the service waits 15 s for the answer to an attempt.
const FETCH_TIMEOUT_SECONDS: u64 = 10;

pub(super) struct SharedKeys {
    jwks_url: String,
    connection: reqwest::Client,
    clock: Clock,
    kept: Mutex<Kept>,
    fetching: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Kept {
    keys: Option<Arc<JwkSet>>,
    fresh_until: Option<SystemTime>,
    asked_at: Option<SystemTime>,
    /// Why the last fetch failed, until one succeeds.
    failure: Option<String>,
}

impl SharedKeys {
    pub(super) fn new(jwks_url: String, trust: &Trust, clock: Clock) -> Result<Self, ClientError> {
        Ok(Self {
            jwks_url,
            // The key set is public: no certificate is presented for it.
            connection: open_connection(trust, None)?,
            clock,
            kept: Mutex::new(Kept::default()),
            fetching: tokio::sync::Mutex::new(()),
        })
    }

    /// A key set to verify with under `kid`: the kept one, or a new one if that is too old or does
    /// not hold the key. It may not hold the key even so. The error says why there is no set.
    pub(super) async fn find(&self, kid: &str) -> Result<Arc<JwkSet>, String> {
        if let Some(keys) = self
            .look((self.clock)())
            .filter(|keys| keys.find(kid).is_some())
        {
            return Ok(keys);
        }
        // One task fetches. The others wait for it, and look again.
        let _only_one = self.fetching.lock().await;
        let now = (self.clock)();
        let known = self.look(now);
        if let Some(keys) = known.as_ref().filter(|keys| keys.find(kid).is_some()) {
            return Ok(Arc::clone(keys));
        }
        if !self.was_asked_lately(now) {
            self.fetch(now).await;
        }
        // A key set that is still fresh serves even if its renewal failed.
        self.look(now).ok_or_else(|| self.failure())
    }

    async fn fetch(&self, now: SystemTime) {
        let limit = Duration::from_secs(FETCH_TIMEOUT_SECONDS);
        let fetched = tokio::time::timeout(limit, download(&self.connection, &self.jwks_url)).await;
        let mut kept = self.lock();
        kept.asked_at = Some(now);
        match fetched {
            Ok(Ok((keys, age))) => {
                // A set that must not be stored still serves until the next fetch is allowed.
                let age = age.max(Duration::from_secs(REFETCH_SECONDS));
                kept.keys = Some(Arc::new(keys));
                kept.fresh_until = now.checked_add(age);
                kept.failure = None;
            }
            Ok(Err(error)) => kept.failure = Some(error.to_string()),
            Err(_elapsed) => kept.failure = Some(format!("no answer in {FETCH_TIMEOUT_SECONDS} s")),
        }
    }

    fn look(&self, now: SystemTime) -> Option<Arc<JwkSet>> {
        let kept = self.lock();
        let is_fresh = kept.fresh_until.is_some_and(|until| now < until);
        kept.keys.clone().filter(|_| is_fresh)
    }

    fn was_asked_lately(&self, now: SystemTime) -> bool {
        let Some(asked_at) = self.lock().asked_at else {
            return false;
        };
        // A clock that was set back must not keep the old set in place for long.
        let since = now.duration_since(asked_at);
        since.is_ok_and(|since| since.as_secs() < REFETCH_SECONDS)
    }

    fn failure(&self) -> String {
        let failure = self.lock().failure.clone();
        failure.unwrap_or_else(|| "it is not fresh".to_owned())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
