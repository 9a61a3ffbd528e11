//! Which scopes a proven client gets, and the token that carries them.

use serde::Serialize;
use signing::access_token::{self, AccessTokenClaims};
use signing::certificate::Thumbprint;
use signing::keyring::Purpose;
use signing::random;
use utoipa::ToSchema;

use super::error::OauthError;
use super::verified_assertion::VerifiedAssertion;
use crate::app::App;
use crate::problem::Problem;
use crate::registry::{Client, Scope, Snapshot};

/// The token answer of S-22.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenAnswer {
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

/// Issues a token for the scopes asked for, bound to the certificate of this
/// connection (RFC 8705 section 3.1).
pub fn issue_token(
    app: &App,
    snapshot: &Snapshot,
    proof: &VerifiedAssertion,
    scope: Option<&str>,
    certificate: Option<Thumbprint>,
) -> Result<TokenAnswer, OauthError> {
    let client = proof.client();
    let scopes = decide_scopes(client, scope, certificate.is_some())?;
    let scope = scopes.join(" ");
    let now = app.clock.now_seconds();
    let failed = |text: String| OauthError::Failed(Problem::Internal(text));
    let claims = AccessTokenClaims {
        iss: app.config.auth_url.clone(),
        sub: client.id.clone(),
        client_id: client.id.clone(),
        aud: app.config.base_url.clone(),
        scope: scope.clone(),
        iat: now,
        exp: now + app.config.token_lifetime_seconds,
        jti: random::token(16).map_err(|error| failed(error.to_string()))?,
        certificate: certificate.map(Thumbprint::to_base64url),
        generation: client.token_generation,
    };
    let key = snapshot.keyring.current(Purpose::Token);
    let access_token =
        access_token::issue(&claims, key).map_err(|error| failed(error.to_string()))?;
    Ok(TokenAnswer {
        access_token,
        token_type: "Bearer",
        expires_in: app.config.token_lifetime_seconds,
        scope,
    })
}

/// S-23 and S-24. Without a certificate only `listing` can be had, by a client
/// that registered for unbound tokens: another one is not let in without.
fn decide_scopes(
    client: &Client,
    asked: Option<&str>,
    has_certificate: bool,
) -> Result<Vec<&'static str>, OauthError> {
    let can_have = |scope: Scope| has_certificate || scope == Scope::Listing;
    let Some(asked) = asked else {
        let assigned = Scope::ALL
            .into_iter()
            .filter(|scope| client.has_scope(*scope));
        return Ok(assigned
            .filter(|scope| can_have(*scope))
            .map(Scope::as_str)
            .collect());
    };
    let mut granted = Vec::new();
    for name in asked.split(' ').filter(|name| !name.is_empty()) {
        let assigned = Scope::parse(name).filter(|scope| client.has_scope(*scope));
        let Some(scope) = assigned else {
            return Err(OauthError::InvalidScope(
                "a scope asked for is not assigned to this client",
            ));
        };
        if !can_have(scope) {
            return Err(OauthError::InvalidScope(
                "transaction-status needs a token request with a client certificate",
            ));
        }
        if !granted.contains(&scope.as_str()) {
            granted.push(scope.as_str());
        }
    }
    if granted.is_empty() {
        return Err(OauthError::InvalidScope(
            "scope is empty: name a scope, or leave the parameter out for all",
        ));
    }
    Ok(granted)
}
