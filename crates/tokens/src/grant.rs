//! Decides the scopes of a proven client, and issues its token.

use std::sync::Arc;

use signing::access_token::{self, AccessTokenClaims};
use signing::certificate::Thumbprint;
use signing::keyring::Purpose;
use signing::random;

use crate::context::{ClientRefusal, TokenContext};
use crate::registry::{Client, Scope, Snapshot};
use crate::signers::SigningError;
use crate::verified_assertion::VerifiedAssertion;

/// A new access token.
#[derive(Debug)]
pub struct IssuedToken {
    /// The signed token.
    pub text: String,
    /// How long it is valid, in seconds.
    pub lifetime_seconds: i64,
    /// The scopes that it carries, separated by spaces; may be empty.
    pub scope: String,
}

/// Issues a token for the scopes asked for, bound to the certificate of this connection (RFC 8705
/// section 3.1).
pub async fn issue_token(
    context: &TokenContext,
    snapshot: &Snapshot,
    proof: &VerifiedAssertion,
    scope: Option<&str>,
    certificate: Option<Thumbprint>,
) -> Result<IssuedToken, ClientRefusal> {
    let client = proof.client();
    let scopes = decide_scopes(client, scope, certificate.is_some())?;
    let scope = scopes.join(" ");
    let now = context.clock.now_seconds();
    let settings = &context.settings;
    let claims = AccessTokenClaims {
        iss: settings.issuer.clone(),
        sub: client.id.to_string(),
        client_id: client.id.to_string(),
        aud: settings.audience.clone(),
        scope: scope.clone(),
        iat: now,
        exp: now + settings.lifetime_seconds,
        jti: random::token(16).map_err(|error| SigningError::Failed(error.to_string()))?,
        certificate: certificate.map(Thumbprint::to_base64url),
        generation: client.token_generation,
    };
    let key = snapshot.keyring.current(Purpose::Token);
    let key = Arc::clone(key.map_err(SigningError::from)?);
    let sign = move || access_token::issue(&claims, &key);
    Ok(IssuedToken {
        text: context.signers.sign(sign).await?,
        lifetime_seconds: settings.lifetime_seconds,
        scope,
    })
}

/// S-23 and S-24: without a certificate a client gets `listing` only. Such a client registered for
/// unbound tokens; the assertion of every other client is refused without a certificate.
fn decide_scopes(
    client: &Client,
    asked: Option<&str>,
    has_certificate: bool,
) -> Result<Vec<&'static str>, ClientRefusal> {
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
            return Err(ClientRefusal::InvalidScope(
                "a scope asked for is not assigned to this client",
            ));
        };
        if !can_have(scope) {
            return Err(ClientRefusal::InvalidScope(
                "transaction-status needs a token request with a client certificate",
            ));
        }
        if !granted.contains(&scope.as_str()) {
            granted.push(scope.as_str());
        }
    }
    if granted.is_empty() {
        return Err(ClientRefusal::InvalidScope(
            "scope is empty: name a scope, or leave the parameter out for all",
        ));
    }
    Ok(granted)
}
