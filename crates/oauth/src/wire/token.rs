//! The successful answer of the token endpoint.

use serde::Serialize;
use tokens::grant::IssuedToken;
use utoipa::ToSchema;

/// An issued access token.
// S-22
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenAnswer {
    /// The access token. Treat it as opaque and send it as `Authorization: Bearer …`.
    access_token: String,
    #[schema(pattern = "^Bearer$")]
    token_type: &'static str,
    /// Lifetime of the token in seconds.
    #[schema(minimum = 1)]
    expires_in: i64,
    /// The scopes of the token, separated by spaces, possibly none.
    scope: String,
}

impl TokenAnswer {
    /// The scopes of the token, separated by spaces.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// Builds the answer for an issued token.
    pub fn of(token: IssuedToken) -> Self {
        Self {
            access_token: token.text,
            token_type: "Bearer",
            expires_in: token.lifetime_seconds,
            scope: token.scope,
        }
    }
}
