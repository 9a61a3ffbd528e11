//! The published key set: fetched, kept while it is fresh, fetched again for an unknown key.

use std::time::{Duration, SystemTime};

use reqwest::header::{CACHE_CONTROL, HeaderMap};
use signing::jwk::JwkSet;

use crate::connection::{check_https, open_connection, send};
use crate::{ClientError, Trust};

/// How long a key set without `max-age` is kept, in seconds.
const DEFAULT_AGE_SECONDS: u64 = 300;
/// The longest that a key set is kept whatever its `max-age`, in seconds: a key that is revoked
/// (S-28) must not be trusted for longer.
const AGE_LIMIT_SECONDS: u64 = 3600;

/// Fetches the key set at `jwks_url` without keeping it.
///
/// # Errors
/// [`ClientError::Unreachable`], or [`ClientError::UnexpectedAnswer`] when what comes is not a key
/// set.
pub async fn fetch_key_set(jwks_url: &str, trust: &Trust) -> Result<JwkSet, ClientError> {
    check_https("the key set's address", jwks_url)?;
    let connection = open_connection(trust, None)?;
    let (keys, _) = download(&connection, jwks_url).await?;
    Ok(keys)
}

/// A key set with the moment until which it is fresh.
pub(crate) struct KeptKeySet {
    keys: Option<(JwkSet, SystemTime)>,
}

impl KeptKeySet {
    pub(crate) fn empty() -> Self {
        Self { keys: None }
    }

    /// The kept key set while it is fresh at `now`, otherwise a new one.
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

    /// Makes the next [`obtain`](Self::obtain) fetch anew.
    pub(crate) fn forget(&mut self) {
        self.keys = None;
    }
}

/// The key set at `jwks_url`, and for how long it is fresh.
pub(crate) async fn download(
    connection: &reqwest::Client,
    jwks_url: &str,
) -> Result<(JwkSet, Duration), ClientError> {
    let answer = send(jwks_url, connection.get(jwks_url)).await?;
    let unexpected = |reason: String| ClientError::UnexpectedAnswer {
        url: answer.url.clone(),
        reason,
    };
    if answer.status != 200 {
        return Err(unexpected(format!(
            "status {} instead of a key set",
            answer.status
        )));
    }
    let keys = JwkSet::parse_published(&answer.body)
        .map_err(|error| unexpected(format!("it is not a key set: {error}")))?;
    Ok((keys, read_max_age(&answer.headers)))
}

/// The freshness that `Cache-Control` allows (RFC 9111, section 5.2.2), within our own limit.
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
