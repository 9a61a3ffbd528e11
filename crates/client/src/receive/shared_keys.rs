//! The key set that all tasks of a receiver share. One task downloads it at a time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use signing::jwk::JwkSet;

use crate::connection::open_connection;
use crate::key_set::download;
use crate::{ClientError, Clock, Trust};

/// The shortest time between two downloads, in seconds, whatever their reasons.
const PAUSE_SECONDS: u64 = 5;
/// The longest time for one download, in seconds. The service waits 15 s for the answer to a
/// delivery.
const DOWNLOAD_TIMEOUT_SECONDS: u64 = 10;

pub(super) struct SharedKeys {
    jwks_url: String,
    connection: reqwest::Client,
    clock: Clock,
    cache: Mutex<Cache>,
    downloading: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Cache {
    keys: Option<Arc<JwkSet>>,
    fresh_until: Option<SystemTime>,
    downloaded_at: Option<SystemTime>,
    /// The error of the last download, if it failed.
    failure: Option<String>,
}

impl SharedKeys {
    pub(super) fn new(jwks_url: String, trust: &Trust, clock: Clock) -> Result<Self, ClientError> {
        Ok(Self {
            jwks_url,
            // The key set is public, so its download needs no client certificate.
            connection: open_connection(trust, None)?,
            clock,
            cache: Mutex::default(),
            downloading: tokio::sync::Mutex::default(),
        })
    }

    /// The cached key set, or a new one if the cached set is too old or does not hold `kid`. Even
    /// the new set may not hold it. The error says why there is no set.
    pub(super) async fn find(&self, kid: &str) -> Result<Arc<JwkSet>, String> {
        if let Some(keys) = self.fresh_set_with(kid, (self.clock)()) {
            return Ok(keys);
        }
        // One task downloads. The others wait for it, and look into the cache again.
        let _only_one = self.downloading.lock().await;
        let now = (self.clock)();
        if let Some(keys) = self.fresh_set_with(kid, now) {
            return Ok(keys);
        }
        if self.may_download(now) {
            self.download(now).await;
        }
        // A key set that is still fresh is good even if its renewal failed.
        self.fresh_set(now).ok_or_else(|| self.failure())
    }

    async fn download(&self, now: SystemTime) {
        let limit = Duration::from_secs(DOWNLOAD_TIMEOUT_SECONDS);
        let result = tokio::time::timeout(limit, download(&self.connection, &self.jwks_url)).await;
        let mut cache = self.lock();
        cache.downloaded_at = Some(now);
        match result {
            Ok(Ok((keys, age))) => {
                // A set that must not be cached still serves until the next download is allowed.
                let age = age.max(Duration::from_secs(PAUSE_SECONDS));
                cache.keys = Some(Arc::new(keys));
                cache.fresh_until = now.checked_add(age);
                cache.failure = None;
            }
            Ok(Err(error)) => cache.failure = Some(error.to_string()),
            Err(_elapsed) => {
                cache.failure = Some(format!("no answer in {DOWNLOAD_TIMEOUT_SECONDS} s"));
            }
        }
    }

    fn fresh_set(&self, now: SystemTime) -> Option<Arc<JwkSet>> {
        let cache = self.lock();
        let is_fresh = cache.fresh_until.is_some_and(|until| now < until);
        cache.keys.clone().filter(|_| is_fresh)
    }

    fn fresh_set_with(&self, kid: &str, now: SystemTime) -> Option<Arc<JwkSet>> {
        self.fresh_set(now).filter(|keys| keys.find(kid).is_some())
    }

    fn may_download(&self, now: SystemTime) -> bool {
        self.lock().downloaded_at.is_none_or(|downloaded_at| {
            // A clock that somebody set back must not keep the old set for long.
            let since = now.duration_since(downloaded_at);
            since.is_err() || since.is_ok_and(|since| since.as_secs() >= PAUSE_SECONDS)
        })
    }

    fn failure(&self) -> String {
        let failure = self.lock().failure.clone();
        failure.unwrap_or_else(|| "it is too old".to_owned())
    }

    fn lock(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
