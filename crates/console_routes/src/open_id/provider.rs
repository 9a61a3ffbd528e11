//! The metadata of an OpenID provider (OpenID Connect Discovery 1.0).
//!
//! At most one request for them is under way. Everybody who needs them waits for it, and nobody queues: a
//! failure counts for some seconds, because anybody may ask for a sign-in.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use observe::clock::Clock;
use outbound::callback::CallbackUrl;
use outbound::client::{FetchError, OutboundClient};
use serde::Deserialize;
use tokio::sync::watch;

use super::parse_url;

/// Bytes of the metadata that are read at most.
const METADATA_BYTES_MAX: usize = 256 * 1024;
/// How long the metadata are used.
const FRESH_SECONDS: i64 = 3600;
/// How long a failure counts.
const FAILED_SECONDS: i64 = 5;

/// The endpoints of a provider.
#[derive(Debug, Clone)]
pub(super) struct Provider {
    pub authorization_endpoint: CallbackUrl,
    pub token_endpoint: CallbackUrl,
    pub jwks_uri: CallbackUrl,
    /// Whether each answer names its issuer (RFC 9207).
    pub sends_issuer: bool,
    /// Whether the token endpoint takes `client_secret_basic`.
    pub takes_basic: bool,
    fetched_at: i64,
}

/// Why the provider cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ProviderError {
    /// The metadata cannot be fetched.
    #[error("the metadata of the OpenID provider cannot be fetched: {0}")]
    Fetch(#[from] FetchError),
    /// The metadata lack a member, or it is not usable.
    #[error("the metadata of the OpenID provider have no usable `{0}`")]
    Member(&'static str),
    /// The metadata are no JSON object of the right form.
    #[error("the metadata of the OpenID provider cannot be read: {0}")]
    Unreadable(String),
    /// The request ended without a result.
    #[error("the request for the metadata of the OpenID provider ended early")]
    Ended,
}

/// The metadata of one provider, as this node knows them.
#[derive(Debug, Default)]
pub(super) struct KnownProvider {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    provider: Option<Provider>,
    /// The last failure, and when it happened.
    failure: Option<(ProviderError, i64)>,
    /// Closes when the running request ends.
    under_way: Option<watch::Receiver<()>>,
}

impl KnownProvider {
    /// The metadata, which are fetched when they are missing or old.
    pub(super) async fn find(
        &self,
        outbound: &OutboundClient,
        issuer: &str,
        clock: &Clock,
    ) -> Result<Provider, ProviderError> {
        let mut waiting = {
            let mut state = lock(&self.state);
            if let Some(known) = state.known(clock.now_seconds()) {
                return known;
            }
            let begin = || self.begin(outbound.clone(), issuer.to_owned(), clock.clone());
            state.under_way.get_or_insert_with(begin).clone()
        };
        // An error means that the request has ended.
        let _ended = waiting.changed().await;
        let known = lock(&self.state).known(clock.now_seconds());
        known.unwrap_or(Err(ProviderError::Ended))
    }

    /// Begins a request. It is a separate task, so that others get the metadata if this caller goes away.
    fn begin(&self, outbound: OutboundClient, issuer: String, clock: Clock) -> watch::Receiver<()> {
        let (ending, waiting) = watch::channel(());
        let state = Arc::clone(&self.state);
        tokio::spawn(async move {
            let found = Provider::discover(&outbound, &issuer, clock.now_seconds()).await;
            let mut state = lock(&state);
            state.under_way = None;
            match found {
                Ok(provider) => {
                    state.provider = Some(provider);
                    state.failure = None;
                }
                Err(error) => state.failure = Some((error, clock.now_seconds())),
            }
            drop(state);
            drop(ending);
        });
        waiting
    }
}

impl State {
    /// `None` if nobody knows: then a request is needed.
    fn known(&self, now: i64) -> Option<Result<Provider, ProviderError>> {
        if let Some(provider) = self.provider.as_ref().filter(|known| known.is_fresh(now)) {
            return Some(Ok(provider.clone()));
        }
        let (error, at) = self.failure.as_ref()?;
        let is_recent = (0..FAILED_SECONDS).contains(&(now - at));
        is_recent.then(|| Err(error.clone()))
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

impl Provider {
    /// Fetches the metadata below the issuer, and checks that they are the issuer's own (Discovery
    /// section 4.3).
    pub(super) async fn discover(
        outbound: &OutboundClient,
        issuer: &str,
        now: i64,
    ) -> Result<Self, ProviderError> {
        let address = format!(
            "{}/.well-known/openid-configuration",
            issuer.trim_end_matches('/')
        );
        let address = parse_url(&address).ok_or(ProviderError::Member("issuer"))?;
        let document = outbound.fetch(&address, METADATA_BYTES_MAX).await?;
        Self::read(&document, issuer, now)
    }

    fn read(document: &[u8], issuer: &str, now: i64) -> Result<Self, ProviderError> {
        let metadata: Metadata = serde_json::from_slice(document)
            .map_err(|error| ProviderError::Unreadable(error.to_string()))?;
        if metadata.issuer != issuer {
            return Err(ProviderError::Member("issuer"));
        }
        let url = |name, text: &str| parse_url(text).ok_or(ProviderError::Member(name));
        // Without the member, the method is client_secret_basic (Discovery section 3).
        let methods = metadata.token_endpoint_auth_methods_supported;
        let takes_basic = methods.is_none_or(|methods| {
            methods.is_empty() || methods.iter().any(|method| method == "client_secret_basic")
        });
        Ok(Self {
            authorization_endpoint: url(
                "authorization_endpoint",
                &metadata.authorization_endpoint,
            )?,
            token_endpoint: url("token_endpoint", &metadata.token_endpoint)?,
            jwks_uri: url("jwks_uri", &metadata.jwks_uri)?,
            sends_issuer: metadata.authorization_response_iss_parameter_supported,
            takes_basic,
            fetched_at: now,
        })
    }

    fn is_fresh(&self, now: i64) -> bool {
        (0..FRESH_SECONDS).contains(&(now - self.fetched_at))
    }
}

#[cfg(test)]
mod tests {
    use super::Provider;

    #[test]
    fn metadata_must_be_the_issuers_own() {
        let document = |issuer: &str, keys: &str| {
            format!(
                r#"{{"issuer":"{issuer}","authorization_endpoint":"https://id.example/a",
                "token_endpoint":"https://id.example/t","jwks_uri":"{keys}"}}"#
            )
        };
        let read = |issuer: &str, keys: &str| {
            let document = document(issuer, keys);
            Provider::read(document.as_bytes(), "https://id.example", 0)
        };
        assert!(read("https://id.example", "https://id.example/k").is_ok());
        assert!(read("https://id.example/", "https://id.example/k").is_err());
        assert!(read("https://other.example", "https://id.example/k").is_err());
        assert!(read("https://id.example", "http://id.example/k").is_err());
        assert!(Provider::read(b"[]", "https://id.example", 0).is_err());
    }
}
