//! The metadata of an OpenID provider (OpenID Connect Discovery 1.0).

use outbound::callback::CallbackUrl;
use outbound::client::{FetchError, OutboundClient};
use serde::Deserialize;

use super::parse_url;

/// Bytes of the metadata that are read at most.
const METADATA_BYTES_MAX: usize = 256 * 1024;
/// How long the metadata are used.
const FRESH_SECONDS: i64 = 3600;

/// The endpoints of a provider.
#[derive(Debug, Clone)]
pub(super) struct Provider {
    pub(super) authorization_endpoint: CallbackUrl,
    pub(super) token_endpoint: CallbackUrl,
    pub(super) jwks_uri: CallbackUrl,
    /// Whether each answer names its issuer (RFC 9207).
    pub(super) sends_issuer: bool,
    /// Whether the token endpoint takes `client_secret_basic`.
    pub(super) takes_basic: bool,
    fetched_at: i64,
}

/// Why the provider cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// The metadata cannot be fetched.
    #[error("the metadata of the OpenID provider cannot be fetched: {0}")]
    Fetch(#[from] FetchError),
    /// The metadata lack a member, or it is not usable.
    #[error("the metadata of the OpenID provider have no usable `{0}`")]
    Member(&'static str),
    /// The metadata are no JSON object of the right form.
    #[error("the metadata of the OpenID provider cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
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
        let metadata: Metadata = serde_json::from_slice(document)?;
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

    pub(super) fn is_fresh(&self, now: i64) -> bool {
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
