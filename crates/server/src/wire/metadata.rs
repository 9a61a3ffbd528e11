//! The documents from which a client configures itself (S-25). Everything in them is true of the
//! addresses that they name, and nothing is promised that is not there.

use serde::Serialize;
use signing::algorithm::Algorithm;
use tokens::registry::Scope;
use utoipa::ToSchema;

use crate::config::Config;
use crate::listener::Listener;

/// What a client's assertion may be signed with, the one to prefer first.
const ASSERTION_ALGORITHMS: [Algorithm; 4] = [
    Algorithm::Ps256,
    Algorithm::Es256,
    Algorithm::EdDsa,
    Algorithm::Rs256,
];
/// How a client proves itself, at each endpoint where it must.
const CLIENT_AUTHENTICATION: [&str; 1] = ["private_key_jwt"];

/// The authorisation server (RFC 8414 section 2).
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AuthorizationServer {
    /// Send it as the `aud` of your assertions.
    issuer: String,
    token_endpoint: String,
    /// What answers and events are signed with. Access tokens are not: treat
    /// them as opaque, and ask the introspection endpoint.
    jwks_uri: String,
    scopes_supported: Vec<&'static str>,
    /// None: there is no authorisation endpoint.
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
    /// The addresses that take the tokens (RFC 9728 section 4).
    protected_resources: Vec<String>,
    service_documentation: String,
}

/// Where to go with a client certificate (RFC 8705 section 5): the same
/// endpoints, which ask for one.
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

/// An address that takes access tokens (RFC 9728 section 2).
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProtectedResource {
    /// The address itself.
    resource: String,
    /// The issuers whose tokens it takes.
    authorization_servers: Vec<String>,
    /// The keys that its answers are signed with, where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    jwks_uri: Option<String>,
    scopes_supported: Vec<&'static str>,
    bearer_methods_supported: Vec<&'static str>,
    /// What its answers are signed with, where they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    resource_signing_alg_values_supported: Option<Vec<&'static str>>,
    resource_name: &'static str,
    resource_documentation: String,
    tls_client_certificate_bound_access_tokens: bool,
}

impl AuthorizationServer {
    /// Describes the server of these settings.
    pub(crate) fn of(config: &Config) -> Self {
        let methods = CLIENT_AUTHENTICATION.to_vec();
        let algorithms: Vec<_> = ASSERTION_ALGORITHMS.map(Algorithm::as_str).to_vec();
        Self {
            issuer: config.auth_url.clone(),
            token_endpoint: config.token_endpoint(),
            jwks_uri: config.jwks_url(),
            scopes_supported: Scope::ALL.map(Scope::as_str).to_vec(),
            response_types_supported: Vec::new(),
            grant_types_supported: vec!["client_credentials"],
            token_endpoint_auth_methods_supported: methods.clone(),
            token_endpoint_auth_signing_alg_values_supported: algorithms.clone(),
            introspection_endpoint: config.introspection_endpoint(),
            introspection_endpoint_auth_methods_supported: methods.clone(),
            introspection_endpoint_auth_signing_alg_values_supported: algorithms.clone(),
            revocation_endpoint: config.revocation_endpoint(),
            revocation_endpoint_auth_methods_supported: methods,
            revocation_endpoint_auth_signing_alg_values_supported: algorithms,
            tls_client_certificate_bound_access_tokens: true,
            mtls_endpoint_aliases: EndpointAliases {
                token_endpoint: config.token_endpoint(),
                introspection_endpoint: config.introspection_endpoint(),
                revocation_endpoint: config.revocation_endpoint(),
            },
            protected_resources: vec![config.base_url.clone(), config.listing_base_url.clone()],
            service_documentation: format!("{}/docs", config.auth_url),
        }
    }
}

impl ProtectedResource {
    /// Describes an address; none for one that takes no tokens.
    pub(crate) fn of(listener: Listener, config: &Config) -> Option<Self> {
        let resource = url_of(listener, config)?;
        let (scope, resource_name, is_signed) = match listener {
            Listener::Base => (Scope::TransactionStatus, "Chain query", true),
            Listener::Listing => (Scope::Listing, "Listing and chain management", false),
            Listener::Auth | Listener::Directory | Listener::Ops => return None,
        };
        Some(Self {
            resource: resource.to_owned(),
            authorization_servers: vec![config.auth_url.clone()],
            jwks_uri: is_signed.then(|| config.jwks_url()),
            scopes_supported: vec![scope.as_str()],
            bearer_methods_supported: vec!["header"],
            resource_signing_alg_values_supported: is_signed
                .then(|| vec![Algorithm::Rs256.as_str()]),
            resource_name,
            resource_documentation: format!("{resource}/docs"),
            tls_client_certificate_bound_access_tokens: true,
        })
    }

    /// Where an address is described: the well-known path comes before any
    /// path of the address (RFC 9728 section 3.1).
    pub(crate) fn url(listener: Listener, config: &Config) -> Option<String> {
        let resource = url_of(listener, config)?;
        let rest = resource.strip_prefix("https://")?;
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        Some(format!(
            "https://{host}/.well-known/oauth-protected-resource{path}"
        ))
    }
}

fn url_of(listener: Listener, config: &Config) -> Option<&str> {
    match listener {
        Listener::Base => Some(&config.base_url),
        Listener::Listing => Some(&config.listing_base_url),
        Listener::Auth | Listener::Directory | Listener::Ops => None,
    }
}

#[cfg(test)]
mod tests {
    use super::ProtectedResource;
    use crate::config::Config;
    use crate::listener::Listener;

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
            let config = Config {
                base_url: base_url.to_owned(),
                ..Config::default()
            };
            let url = ProtectedResource::url(Listener::Base, &config);
            assert_eq!(url.as_deref(), Some(expected));
        }
        let config = Config::default();
        for listener in [Listener::Auth, Listener::Directory, Listener::Ops] {
            assert_eq!(ProtectedResource::url(listener, &config), None);
            assert!(ProtectedResource::of(listener, &config).is_none());
        }
    }
}
