//! The addresses under which others reach the service.

/// The addresses of the service, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceUrls {
    /// Chain query and webhook management.
    pub base_url: String,
    /// Tokens. This URL is their issuer.
    pub auth_url: String,
    /// Key set and directory.
    pub directory_url: String,
    /// Listing and chain management.
    pub listing_base_url: String,
    /// The issuer of the framework's tokens (S-67); empty: none.
    pub framework_issuer: String,
    /// Another address of the key set, which readers use instead (S-76); empty: none.
    pub published_jwks_url: String,
}

impl ServiceUrls {
    /// The URL of the token endpoint.
    pub fn token_endpoint(&self) -> String {
        format!("{}/token", self.auth_url)
    }

    /// The URL of token introspection (RFC 7662).
    pub fn introspection_endpoint(&self) -> String {
        format!("{}/introspect", self.auth_url)
    }

    /// The URL of token revocation (RFC 7009).
    pub fn revocation_endpoint(&self) -> String {
        format!("{}/revoke", self.auth_url)
    }

    /// The URL of the key set that documents and metadata name.
    pub fn jwks_url(&self) -> String {
        if self.published_jwks_url.is_empty() {
            format!("{}/jwks", self.directory_url)
        } else {
            self.published_jwks_url.clone()
        }
    }
}
