//! The published key set: download, cache, and a new download for an unknown key.

use std::time::{Duration, SystemTime};

use reqwest::header::{CACHE_CONTROL, HeaderMap};
use signing::jwk::JwkSet;

use crate::connection::{check_https, open_connection, send};
use crate::{ClientError, Trust};

/// The time for which a key set without `max-age` is cached, in seconds.
const DEFAULT_AGE_SECONDS: u64 = 300;
/// The longest time for which a key set is cached, in seconds. A longer `max-age` does not extend
/// it, so that a revoked key (S-28) loses its trust.
const AGE_LIMIT_SECONDS: u64 = 3600;

/// Downloads the key set at `jwks_url`, without caching it.
///
/// # Errors
/// [`ClientError::Unreachable`], or [`ClientError::UnexpectedAnswer`] when the answer is not a key
/// set.
pub async fn fetch_key_set(jwks_url: &str, trust: &Trust) -> Result<JwkSet, ClientError> {
    check_https("the key set's address", jwks_url)?;
    let connection = open_connection(trust, None)?;
    let (keys, _) = download(&connection, jwks_url).await?;
    Ok(keys)
}

/// A cached key set, and the time until which it is fresh.
#[derive(Default)]
pub(crate) struct CachedKeySet {
    keys: Option<(JwkSet, SystemTime)>,
}

impl CachedKeySet {
    /// The cached key set while it is fresh at `now`, otherwise a new one.
    pub(crate) async fn obtain(
        &mut self,
        connection: &reqwest::Client,
        jwks_url: &str,
        now: SystemTime,
    ) -> Result<&JwkSet, ClientError> {
        let (keys, fresh_until) = match self.keys.take() {
            Some((keys, fresh_until)) if now < fresh_until => (keys, fresh_until),
            Some(_) | None => {
                let (keys, age) = download(connection, jwks_url).await?;
                (keys, now.checked_add(age).unwrap_or(now))
            }
        };
        let (keys, _) = self.keys.insert((keys, fresh_until));
        Ok(keys)
    }

    /// Makes the next [`obtain`](Self::obtain) download a new key set.
    pub(crate) fn forget(&mut self) {
        self.keys = None;
    }
}

/// Downloads the key set at `jwks_url`, and says for how long it is fresh.
pub(crate) async fn download(
    connection: &reqwest::Client,
    jwks_url: &str,
) -> Result<(JwkSet, Duration), ClientError> {
    let answer = send(jwks_url, connection.get(jwks_url)).await?;
    if answer.status != 200 {
        let reason = format!("status {} instead of a key set", answer.status);
        return Err(answer.unexpected(reason));
    }
    let keys = JwkSet::parse_published(&answer.body)
        .map_err(|error| answer.unexpected(format!("it is not a key set: {error}")))?;
    Ok((keys, read_max_age(&answer.headers)))
}

/// The freshness that `Cache-Control` allows (RFC 9111, section 5.2.2), at most our own limit.
fn read_max_age(headers: &HeaderMap) -> Duration {
    let mut seconds = DEFAULT_AGE_SECONDS;
    let fields = headers
        .get_all(CACHE_CONTROL)
        .iter()
        .filter_map(|field| field.to_str().ok());
    for directive in fields.flat_map(|field| field.split(',')) {
        let directive = directive.trim().to_ascii_lowercase();
        if directive == "no-store" || directive == "no-cache" {
            return Duration::ZERO;
        }
        if let Some(value) = directive.strip_prefix("max-age=") {
            seconds = value.trim_matches('"').parse().unwrap_or(0);
        }
    }
    Duration::from_secs(seconds.min(AGE_LIMIT_SECONDS))
}

#[cfg(test)]
mod tests;
