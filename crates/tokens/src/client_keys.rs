//! Fetches the key sets that clients publish, when they are needed (S-21).
//!
//! A set is used for some minutes. It is fetched again when an assertion names a key that is not in
//! it, because clients rotate keys. At most one request to each address is under way, with a pause
//! between two, even if callers invent key ids.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use outbound::callback::CallbackUrl;
use outbound::client::{FetchError, OutboundClient};
use signing::jwk::JwkSet;
use tokio::sync::watch;

use crate::limits;

/// The key sets that this node has fetched.
#[derive(Debug, Default)]
pub struct PublishedKeys {
    /// By address, because several clients may publish one set. There are no more sets than
    /// registered clients.
    sets: Arc<Mutex<HashMap<String, PublishedSet>>>,
}

/// The state of one address.
#[derive(Debug, Default)]
struct PublishedSet {
    /// The newest usable set, which may be empty, and the time of its fetch.
    keys: Option<(Arc<JwkSet>, i64)>,
    /// When the last fetch began. `failure` is its error.
    begun_at: Option<i64>,
    failure: Option<KeysError>,
    /// Closes when the running request ends.
    under_way: Option<watch::Receiver<()>>,
}

/// Why there are no keys, for the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeysError {
    /// The set could not be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The answer is no usable key set.
    #[error("{0}")]
    Unusable(String),
    /// The request ended without a result.
    #[error("the request for the key set ended early")]
    Ended,
}

/// The next step for one address.
enum Next {
    Use(Arc<JwkSet>),
    Fail(KeysError),
    WaitFor(watch::Receiver<()>),
    Fetch(watch::Sender<()>),
}

impl PublishedKeys {
    /// The keys at an address. A set without the key `kid` is fetched again. `now` is in Unix
    /// seconds.
    pub async fn find(
        &self,
        outbound: &OutboundClient,
        url: &CallbackUrl,
        kid: Option<&str>,
        now: i64,
    ) -> Result<Arc<JwkSet>, KeysError> {
        let waiting = match self.decide(url, kid, now) {
            Next::Use(keys) => return Ok(keys),
            Next::Fail(reason) => return Err(reason),
            Next::WaitFor(waiting) => waiting,
            Next::Fetch(fetching) => {
                let waiting = fetching.subscribe();
                // A separate task, so that others still get the set if this caller goes away.
                tokio::spawn(fetch_and_store(
                    Arc::clone(&self.sets),
                    outbound.clone(),
                    url.clone(),
                    fetching,
                    now,
                ));
                waiting
            }
        };
        let mut waiting = waiting;
        // An error means that the request has ended.
        let _ended = waiting.changed().await;
        self.with_set(url, |set| set.usable(now))
    }

    fn decide(&self, url: &CallbackUrl, kid: Option<&str>, now: i64) -> Next {
        self.with_set(url, |set| {
            if let Some((keys, fetched_at)) = &set.keys {
                let is_known = kid.is_none_or(|kid| keys.find(kid).is_some());
                if is_known && now - fetched_at < limits::CLIENT_KEYS_FRESH_SECONDS {
                    return Next::Use(Arc::clone(keys));
                }
            }
            if let Some(waiting) = &set.under_way {
                return Next::WaitFor(waiting.clone());
            }
            let is_early = |begun_at| now - begun_at < limits::CLIENT_KEYS_PAUSE_SECONDS;
            if set.begun_at.is_some_and(is_early) {
                return match set.usable(now) {
                    Ok(keys) => Next::Use(keys),
                    Err(reason) => Next::Fail(reason),
                };
            }
            let (fetching, waiting) = watch::channel(());
            set.begun_at = Some(now);
            set.under_way = Some(waiting);
            Next::Fetch(fetching)
        })
    }

    fn with_set<T>(&self, url: &CallbackUrl, work: impl FnOnce(&mut PublishedSet) -> T) -> T {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        work(sets.entry(url.as_str().to_owned()).or_default())
    }
}

impl PublishedSet {
    /// The newest usable set, unless it is too old.
    fn usable(&self, now: i64) -> Result<Arc<JwkSet>, KeysError> {
        let keys = self.keys.as_ref();
        let usable = keys.filter(|keys| now - keys.1 < limits::CLIENT_KEYS_STALE_SECONDS);
        match usable {
            Some((keys, _fetched_at)) => Ok(Arc::clone(keys)),
            None => Err(self.failure.clone().unwrap_or(KeysError::Ended)),
        }
    }
}

/// Fetches a set and stores the result.
async fn fetch_and_store(
    sets: Arc<Mutex<HashMap<String, PublishedSet>>>,
    outbound: OutboundClient,
    url: CallbackUrl,
    fetching: watch::Sender<()>,
    now: i64,
) {
    let fetched = fetch(&outbound, &url).await;
    if let Err(reason) = &fetched {
        tracing::warn!(url = url.as_str(), %reason, "a client's key set could not be fetched");
    }
    let mut sets = sets.lock().unwrap_or_else(PoisonError::into_inner);
    let set = sets.entry(url.as_str().to_owned()).or_default();
    set.under_way = None;
    match fetched {
        Ok(keys) => {
            set.keys = Some((Arc::new(keys), now));
            set.failure = None;
        }
        Err(reason) => set.failure = Some(reason),
    }
    drop(sets);
    drop(fetching);
}

async fn fetch(outbound: &OutboundClient, url: &CallbackUrl) -> Result<JwkSet, KeysError> {
    let body = outbound.fetch(url, limits::CLIENT_KEYS_BYTES_MAX).await?;
    // A well-formed set replaces the old one, even if it is empty: then its owner has withdrawn all
    // keys.
    JwkSet::parse_published(&body).map_err(|error| KeysError::Unusable(error.to_string()))
}
