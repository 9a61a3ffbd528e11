//! Proof that a client authenticated with `private_key_jwt` (RFC 7523, S-21).

use std::sync::Arc;

use signing::assertion::{self, AssertionRefusal, AssertionRules, CheckedAssertion};
use signing::base64url;
use signing::canonical;
use signing::jws::Unverified;

use super::error::OauthError;
use super::request::TokenRequest;
use crate::app::App;
use crate::registry::{Client, Snapshot};

/// A client that proved who it is with an assertion that nobody used before.
#[derive(Debug)]
pub struct VerifiedAssertion {
    client: Arc<Client>,
}

impl VerifiedAssertion {
    /// Parses, finds the client, checks key, signature and claims, and last,
    /// in one atomic insert, that the assertion was not used before: on this
    /// node or any other. An assertion that fails an earlier check is not used
    /// up by it, so nobody can burn another's `jti`.
    pub async fn prove(
        app: &App,
        snapshot: &Snapshot,
        request: &TokenRequest,
    ) -> Result<Self, OauthError> {
        let unverified = Unverified::parse(&request.client_assertion).map_err(|error| {
            tracing::info!(%error, "client assertion refused");
            OauthError::InvalidClient("client_assertion is not a signed JWT that is accepted here")
        })?;
        let client_id = assertion::read_client_id(&unverified).map_err(|error| refuse(&error))?;
        let client = app.registry.find_client(snapshot, &client_id).await?;
        let Some(client) = client.filter(|client| client.is_active) else {
            tracing::info!(%client_id, "client assertion of an unknown or disabled client");
            return Err(OauthError::InvalidClient("the client is not registered"));
        };
        let token_endpoint = app.config.token_endpoint();
        let rules = AssertionRules {
            profile: client.profile,
            issuer: &app.config.auth_url,
            token_endpoint: &token_endpoint,
            pinned: client.assertion_algorithm,
        };
        let now = app.clock.now_seconds();
        let checked = assertion::check(&unverified, &client.keys, &rules, &client_id, now)
            .map_err(|error| refuse(&error))?;
        if request
            .client_id
            .as_deref()
            .is_some_and(|named| named != client_id)
        {
            return Err(OauthError::InvalidRequest(
                "client_id differs from the sub of client_assertion",
            ));
        }
        use_up(app, &checked).await?;
        Ok(Self { client })
    }

    /// The client.
    pub fn client(&self) -> &Client {
        &self.client
    }
}

async fn use_up(app: &App, checked: &CheckedAssertion) -> Result<(), OauthError> {
    let client_id = checked.client_id().to_owned();
    let jti_digest = base64url::encode(&canonical::digest(checked.jti().as_bytes()));
    let expires_at = checked.expires_at();
    let is_fresh = app
        .storage
        .write(move |write| {
            storage::assertion::insert_used_assertion(write, &client_id, &jti_digest, expires_at)
        })
        .await?;
    if is_fresh {
        Ok(())
    } else {
        Err(OauthError::InvalidClient(
            "client_assertion was used before: make a new one, with a new jti, for each request",
        ))
    }
}

fn refuse(error: &AssertionRefusal) -> OauthError {
    tracing::info!(%error, "client assertion refused");
    OauthError::InvalidClient(error.description())
}
