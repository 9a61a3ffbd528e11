//! The answer of token introspection (RFC 7662 section 2.2).

use serde::Serialize;
use tokens::access::AcceptedToken;
use tokens::registry::{Client, Scope};
use utoipa::ToSchema;

/// The state of a token. For an inactive token, `active` is the only member.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Introspection {
    /// Whether the token is valid now.
    active: bool,
    /// Scopes separated by spaces, possibly none. Scopes withdrawn from the client are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    scope: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    client_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^Bearer$")]
    token_type: Option<&'static str>,
    /// When the token expires, in Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    exp: Option<i64>,
    /// When the token was issued, in Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    iat: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    sub: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    aud: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    iss: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    jti: Option<String>,
    /// The client certificate that the token is bound to (RFC 8705 section 3.2).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    cnf: Option<Confirmation>,
}

/// The thumbprint of a client certificate.
#[derive(Debug, Serialize, ToSchema)]
struct Confirmation {
    /// SHA-256 of the certificate's DER, base64url.
    #[serde(rename = "x5t#S256")]
    #[schema(pattern = "^[A-Za-z0-9_-]{43}$")]
    certificate: String,
}

impl Introspection {
    /// Describes a valid token to its client or to a resource server, with the scopes that its client still has
    /// (S-23) and the resource server may see (S-75).
    pub fn of(token: &AcceptedToken, asker: &Client) -> Self {
        let claims = token.claims();
        let is_own = token.is_of(asker);
        let scopes: Vec<_> = if is_own {
            token.scopes().map(Scope::as_str).collect()
        } else {
            token.scopes_shown_to(asker).map(Scope::as_str).collect()
        };
        let certificate = claims.certificate.clone();
        Self {
            active: true,
            scope: Some(scopes.join(" ")),
            client_id: Some(claims.client_id.clone()),
            token_type: Some("Bearer"),
            exp: Some(claims.exp),
            iat: Some(claims.iat),
            sub: Some(claims.sub.clone()),
            aud: is_own.then(|| claims.aud.clone()),
            iss: Some(claims.iss.clone()),
            jti: is_own.then(|| claims.jti.clone()),
            cnf: certificate.map(|certificate| Confirmation { certificate }),
        }
    }

    /// The answer for an invalid token, and for a token of another client.
    pub fn inactive() -> Self {
        Self::default()
    }
}
