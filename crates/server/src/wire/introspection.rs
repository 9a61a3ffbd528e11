//! What introspection says of a token (RFC 7662 section 2.2).

use serde::Serialize;
use tokens::access::AcceptedToken;
use tokens::registry::Scope;
use utoipa::ToSchema;

/// A token. When it is not active, nothing else is said of it.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Introspection {
    /// Whether it counts now.
    active: bool,
    /// Scopes parted by spaces, without those withdrawn since; perhaps none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    scope: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    client_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^Bearer$")]
    token_type: Option<&'static str>,
    /// When it ends, in Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    exp: Option<i64>,
    /// When it was issued, in Unix seconds.
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
    /// The certificate it is bound to (RFC 8705 section 3.2), if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    cnf: Option<Confirmation>,
}

/// A certificate.
#[derive(Debug, Serialize, ToSchema)]
struct Confirmation {
    /// SHA-256 of its DER, base64url.
    #[serde(rename = "x5t#S256")]
    #[schema(pattern = "^[A-Za-z0-9_-]{43}$")]
    certificate: String,
}

impl Introspection {
    /// A token that counts, with the scopes that its client still has (S-23).
    pub(crate) fn of(token: &AcceptedToken) -> Self {
        let claims = token.claims();
        let scopes: Vec<_> = token.scopes().map(Scope::as_str).collect();
        let certificate = claims.certificate.clone();
        Self {
            active: true,
            scope: Some(scopes.join(" ")),
            client_id: Some(claims.client_id.clone()),
            token_type: Some("Bearer"),
            exp: Some(claims.exp),
            iat: Some(claims.iat),
            sub: Some(claims.sub.clone()),
            aud: Some(claims.aud.clone()),
            iss: Some(claims.iss.clone()),
            jti: Some(claims.jti.clone()),
            cnf: certificate.map(|certificate| Confirmation { certificate }),
        }
    }

    /// One that does not, or that is none of the caller's business.
    pub(crate) fn inactive() -> Self {
        Self::default()
    }
}
