//! Key sets that clients publish themselves, fetched when they are needed (S-21).
//!
//! A set is used for some minutes without asking again, and asked for again when an assertion
//! names a key that is not in it: this is how clients rotate keys. At most one request to each
//! address is under way, and between two there is a pause, however often somebody makes up key ids.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use outbound::callback::CallbackUrl;
use outbound::client::{FetchError, OutboundClient};
use signing::jwk::JwkSet;
use tokio::sync::watch;

use crate::limits;

/// All key sets that this node has fetched.
#[derive(Debug, Default)]
pub struct PublishedKeys {
    /// By address: clients of one address have one set. Its number is bounded
    /// by that of the registered clients.
    sets: Arc<Mutex<HashMap<String, PublishedSet>>>,
}

/// What is known of one address.
#[derive(Debug, Default)]
struct PublishedSet {
    /// The newest good set, perhaps an empty one, and when it was fetched.
    keys: Option<(Arc<JwkSet>, i64)>,
    /// When it was last asked for, and what came of it.
    asked_at: Option<i64>,
    failure: Option<KeysError>,
    /// Ends when the request under way does.
    under_way: Option<watch::Receiver<()>>,
}

/// Why there are no keys, for the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeysError {
    /// They could not be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// What came is no set of keys that may be used.
    #[error("{0}")]
    Unusable(String),
    /// The request for them was given up.
    #[error("the request for the key set ended early")]
    Ended,
}

/// What to do with what is known.
enum Next {
    Use(Arc<JwkSet>),
    Fail(KeysError),
    WaitFor(watch::Receiver<()>),
    Ask(watch::Sender<()>),
}

impl PublishedKeys {
    /// The keys at an address, at `now` in Unix seconds; one with this id among
    /// them if there is one.
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
            Next::Ask(asking) => {
                let waiting = asking.subscribe();
                // A task of its own: a caller that goes away takes nobody's answer along.
                tokio::spawn(ask(
                    Arc::clone(&self.sets),
                    outbound.clone(),
                    url.clone(),
                    (asking, now),
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
            let is_early = |asked_at| now - asked_at < limits::CLIENT_KEYS_PAUSE_SECONDS;
            if set.asked_at.is_some_and(is_early) {
                return match set.usable(now) {
                    Ok(keys) => Next::Use(keys),
                    Err(reason) => Next::Fail(reason),
                };
            }
            let (asking, waiting) = watch::channel(());
            set.asked_at = Some(now);
            set.under_way = Some(waiting);
            Next::Ask(asking)
        })
    }

    fn with_set<T>(&self, url: &CallbackUrl, work: impl FnOnce(&mut PublishedSet) -> T) -> T {
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        work(sets.entry(url.as_str().to_owned()).or_default())
    }
}

impl PublishedSet {
    /// The newest good set, as long as it may be used without a newer one.
    fn usable(&self, now: i64) -> Result<Arc<JwkSet>, KeysError> {
        let keys = self.keys.as_ref();
        let usable = keys.filter(|keys| now - keys.1 < limits::CLIENT_KEYS_STALE_SECONDS);
        match usable {
            Some((keys, _fetched_at)) => Ok(Arc::clone(keys)),
            None => Err(self.failure.clone().unwrap_or(KeysError::Ended)),
        }
    }
}

/// Fetches a set and notes what came of it.
async fn ask(
    sets: Arc<Mutex<HashMap<String, PublishedSet>>>,
    outbound: OutboundClient,
    url: CallbackUrl,
    (asking, now): (watch::Sender<()>, i64),
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
    drop(asking);
}

async fn fetch(outbound: &OutboundClient, url: &CallbackUrl) -> Result<JwkSet, KeysError> {
    let body = outbound.fetch(url, limits::CLIENT_KEYS_BYTES_MAX).await?;
    // One that is well formed counts at once, and be it empty: its owner has withdrawn all keys.
    JwkSet::parse_published(&body).map_err(|error| KeysError::Unusable(error.to_string()))
}
