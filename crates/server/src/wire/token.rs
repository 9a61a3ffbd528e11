//! The answer of the token endpoint.

use serde::Serialize;
use tokens::grant::IssuedToken;
use utoipa::ToSchema;

/// The token answer of S-22.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TokenAnswer {
    /// Send it as `Authorization: Bearer …`. Treat it as opaque.
    access_token: String,
    #[schema(pattern = "^Bearer$")]
    token_type: &'static str,
    /// How long it is valid, in seconds.
    #[schema(minimum = 1)]
    expires_in: i64,
    /// The scopes that it carries, parted by spaces; perhaps none.
    scope: String,
}

impl TokenAnswer {
    /// The answer that carries this token.
    pub(crate) fn of(token: IssuedToken) -> Self {
        Self {
            access_token: token.text,
            token_type: "Bearer",
            expires_in: token.lifetime_seconds,
            scope: token.scope,
        }
    }
}
