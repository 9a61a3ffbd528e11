//! Metadata documents from which clients configure themselves (S-25). They name only what the
//! listeners really offer.

use serde::Serialize;
use signing::algorithm::Algorithm;
use tokens::registry::Scope;
use utoipa::ToSchema;
use web::listener::Listener;
use web::urls::ServiceUrls;

/// Signature algorithms for client assertions, the preferred one first.
const ASSERTION_ALGORITHMS: [Algorithm; 4] = [
    Algorithm::Ps256,
    Algorithm::Es256,
    Algorithm::EdDsa,
    Algorithm::Rs256,
];
/// Authentication methods of the token, introspection and revocation endpoints.
const CLIENT_AUTHENTICATION: [&str; 1] = ["private_key_jwt"];

/// Metadata of the authorisation server (RFC 8414 section 2).
#[derive(Debug, Serialize, ToSchema)]
pub struct AuthorizationServer {
    /// The issuer. Use it as the `aud` of client assertions.
    issuer: String,
    token_endpoint: String,
    /// The keys that verify answers and events. They do not verify access tokens: treat tokens
    /// as opaque and use the introspection endpoint.
    jwks_uri: String,
    scopes_supported: Vec<&'static str>,
    /// Always empty, because there is no authorisation endpoint.
    response_types_supported: Vec<&'static str>,
    grant_types_supported: Vec<&'static str>,
    token_endpoint_auth_methods_supported: Vec<&'static str>,
    token_endpoint_auth_signing_alg_values_supported: Vec<&'static str>,
    introspection_endpoint: String,
    introspection_endpoint_auth_methods_supported: Vec<&'static str>,
    introspection_endpoint_auth_signing_alg_values_supported: Vec<&'static str>,
    revocation_endpoint: String,
    revocation_endpoint_auth_methods_supported: Vec<&'static str>,
    revocation_endpoint_auth_signing_alg_values_supported: Vec<&'static str>,
    tls_client_certificate_bound_access_tokens: bool,
    mtls_endpoint_aliases: EndpointAliases,
    /// The resource servers that accept the tokens (RFC 9728 section 4).
    protected_resources: Vec<String>,
    service_documentation: String,
}

/// Endpoints for clients with a certificate (RFC 8705 section 5). They are the usual endpoints,
/// because those ask for a certificate.
#[derive(Debug, Serialize, ToSchema)]
#[expect(
    clippy::struct_field_names,
    reason = "RFC 8705 section 5 names them so"
)]
struct EndpointAliases {
    token_endpoint: String,
    introspection_endpoint: String,
    revocation_endpoint: String,
}

/// Metadata of a resource server that accepts access tokens (RFC 9728 section 2).
#[derive(Debug, Serialize, ToSchema)]
pub struct ProtectedResource {
    /// URL of the resource server.
    resource: String,
    /// The issuers of accepted tokens.
    authorization_servers: Vec<String>,
    /// The keys that verify its answers. Present only if it signs answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    jwks_uri: Option<String>,
    scopes_supported: Vec<&'static str>,
    bearer_methods_supported: Vec<&'static str>,
    /// The signature algorithms of its answers. Present only if it signs answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    resource_signing_alg_values_supported: Option<Vec<&'static str>>,
    resource_name: &'static str,
    resource_documentation: String,
    tls_client_certificate_bound_access_tokens: bool,
}

impl AuthorizationServer {
    /// Describes the authorisation server that runs with `config`.
    pub fn of(urls: &ServiceUrls) -> Self {
        let methods = CLIENT_AUTHENTICATION.to_vec();
        let algorithms: Vec<_> = ASSERTION_ALGORITHMS.map(Algorithm::as_str).to_vec();
        Self {
            issuer: urls.auth_url.clone(),
            token_endpoint: urls.token_endpoint(),
            jwks_uri: urls.jwks_url(),
            scopes_supported: Scope::ALL.map(Scope::as_str).to_vec(),
            response_types_supported: Vec::new(),
            grant_types_supported: vec!["client_credentials"],
            token_endpoint_auth_methods_supported: methods.clone(),
            token_endpoint_auth_signing_alg_values_supported: algorithms.clone(),
            introspection_endpoint: urls.introspection_endpoint(),
            introspection_endpoint_auth_methods_supported: methods.clone(),
            introspection_endpoint_auth_signing_alg_values_supported: algorithms.clone(),
            revocation_endpoint: urls.revocation_endpoint(),
            revocation_endpoint_auth_methods_supported: methods,
            revocation_endpoint_auth_signing_alg_values_supported: algorithms,
            tls_client_certificate_bound_access_tokens: true,
            mtls_endpoint_aliases: EndpointAliases {
                token_endpoint: urls.token_endpoint(),
                introspection_endpoint: urls.introspection_endpoint(),
                revocation_endpoint: urls.revocation_endpoint(),
            },
            protected_resources: vec![urls.base_url.clone(), urls.listing_base_url.clone()],
            service_documentation: format!("{}/docs", urls.auth_url),
        }
    }
}

impl ProtectedResource {
    /// Describes a listener. `None` if the listener accepts no tokens.
    pub fn of(listener: Listener, urls: &ServiceUrls) -> Option<Self> {
        let resource = url_of(listener, urls)?;
        let (scopes, resource_name, is_signed) = match listener {
            Listener::Base => (
                vec![Scope::TransactionStatus, Scope::TransactionHistory],
                "Chain query",
                true,
            ),
            Listener::Listing => (vec![Scope::Listing], "Listing and chain management", false),
            Listener::Auth | Listener::Directory | Listener::Ops | Listener::Console => {
                return None;
            }
        };
        let mut issuers = vec![urls.auth_url.clone(), urls.framework_issuer.clone()];
        issuers.retain(|issuer| !issuer.is_empty());
        Some(Self {
            resource: resource.to_owned(),
            authorization_servers: issuers,
            jwks_uri: is_signed.then(|| urls.jwks_url()),
            scopes_supported: scopes.into_iter().map(Scope::as_str).collect(),
            bearer_methods_supported: vec!["header"],
            resource_signing_alg_values_supported: is_signed
                .then(|| vec![Algorithm::Rs256.as_str()]),
            resource_name,
            resource_documentation: format!("{resource}/docs"),
            tls_client_certificate_bound_access_tokens: true,
        })
    }

    /// The URL of a listener's metadata. The well-known path comes before the listener's own path
    /// (RFC 9728 section 3.1).
    pub fn url(listener: Listener, urls: &ServiceUrls) -> Option<String> {
        let resource = url_of(listener, urls)?;
        let rest = resource.strip_prefix("https://")?;
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        Some(format!(
            "https://{host}/.well-known/oauth-protected-resource{path}"
        ))
    }
}

fn url_of(listener: Listener, urls: &ServiceUrls) -> Option<&str> {
    match listener {
        Listener::Base => Some(&urls.base_url),
        Listener::Listing => Some(&urls.listing_base_url),
        Listener::Auth | Listener::Directory | Listener::Ops | Listener::Console => None,
    }
}

#[cfg(test)]
mod tests {
    use super::ProtectedResource;
    use web::listener::Listener;
    use web::urls::ServiceUrls;

    fn urls_with(base_url: &str) -> ServiceUrls {
        ServiceUrls {
            base_url: base_url.to_owned(),
            auth_url: "https://auth.example".to_owned(),
            directory_url: "https://directory.example".to_owned(),
            listing_base_url: "https://listing.example".to_owned(),
            framework_issuer: String::new(),
            published_jwks_url: String::new(),
        }
    }

    #[test]
    fn the_well_known_path_comes_first() {
        for (base_url, expected) in [
            (
                "https://a.example",
                "https://a.example/.well-known/oauth-protected-resource",
            ),
            (
                "https://a.example:1/b/c",
                "https://a.example:1/.well-known/oauth-protected-resource/b/c",
            ),
        ] {
            let urls = urls_with(base_url);
            let url = ProtectedResource::url(Listener::Base, &urls);
            assert_eq!(url.as_deref(), Some(expected));
        }
        let urls = urls_with("https://a.example");
        for listener in [
            Listener::Auth,
            Listener::Directory,
            Listener::Ops,
            Listener::Console,
        ] {
            assert_eq!(ProtectedResource::url(listener, &urls), None);
            assert!(ProtectedResource::of(listener, &urls).is_none());
        }
    }
}
