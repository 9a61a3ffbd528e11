//! `POST {auth_url}/revoke`: revokes a token of the calling client (RFC 7009).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use storage::revoked_tokens::{RevokedToken, insert_revoked_token};
use tokens::access::AcceptedToken;
use tokens::context::TokenContext;
use tokens::rate_limit::Allowance;
use tokens::verified_assertion::{Endpoint, UnusedAssertion};
use web::authorization::find_peer;
use web::refusals;

use crate::answer::respond;
use crate::error::{OauthError, describe};
use crate::request::{QuestionForm, TokenQuestion};

refusals!(Refusals = describe());

/// Revokes a token.
///
/// A client can revoke its own tokens (RFC 7009). It authenticates as in a token request. All nodes
/// refuse the token from then on. The answer is the same if the token is unknown, invalid or
/// another client's, and the service then does nothing.
#[utoipa::path(
    post,
    path = "/revoke",
    tag = "Tokens",
    request_body(content = QuestionForm, content_type = "application/x-www-form-urlencoded"),
    responses(
        (
            status = 200,
            description = "The service accepted the request.",
            headers(("cache-control"), ("pragma")),
        ),
        Refusals,
    ),
    security(("clientCertificate" = []), ()),
)]
pub(crate) async fn revoke_token(
    State(tokens): State<Arc<TokenContext>>,
    request: Request,
) -> Response {
    let mut allowance = None;
    let answered = answer(&tokens, request, &mut allowance)
        .await
        .map(|()| StatusCode::OK);
    respond(answered, allowance)
}

async fn answer(
    tokens: &TokenContext,
    request: Request,
    allowance: &mut Option<Allowance>,
) -> Result<(), OauthError> {
    let (parts, body) = request.into_parts();
    let peer = find_peer(&parts).map_err(OauthError::Failed)?;
    let question = TokenQuestion::read(&parts, body, Endpoint::Revocation).await?;
    let snapshot = tokens.registry.snapshot().await?;
    let credentials = &question.credentials;
    let certificate = peer.certificate.as_ref();
    let unused = UnusedAssertion::check(tokens, &snapshot, credentials, certificate).await?;
    // RFC 7009 section 2.1: a client may revoke only its own tokens.
    let own =
        AcceptedToken::accept_own(tokens, &snapshot, &question.token, unused.client()).await?;
    let revoked = own.map(|token| RevokedToken {
        token_id: token.claims().jti.clone(),
        expires_at: token.claims().exp,
    });
    let revoke = move |write: &mut storage::Write<'_>| match &revoked {
        Some(token) => insert_revoked_token(write, token).map(drop),
        None => Ok(()),
    };
    let _proof = unused.use_up(tokens, allowance, revoke).await?;
    Ok(())
}
