//! `POST {auth_url}/revoke`: a token of the caller's own counts no more (RFC 7009).

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use storage::revoked_tokens::{RevokedToken, insert_revoked_token};
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response as DescribedResponse};

use crate::access::{Peer, verify};
use crate::app::App;
use crate::oauth::answer::respond;
use crate::oauth::error::{self, OauthError};
use crate::oauth::request::{QuestionForm, TokenQuestion};
use crate::oauth::verified_assertion::UnusedAssertion;
use crate::rate_limit::Allowance;

/// Gives up a token.
///
/// Revocation (RFC 7009) by the client that the token was issued to, which
/// proves itself as in a token request. From then on the token is refused, on
/// every node. Whatever else the caller sends as a token, the answer is the
/// same, and nothing happens.
#[utoipa::path(
    post,
    path = "/revoke",
    tag = "Tokens",
    request_body(content = QuestionForm, content_type = "application/x-www-form-urlencoded"),
    responses(
        (
            status = 200,
            description = "The token does not count, or never did.",
            headers(("cache-control"), ("pragma")),
        ),
        Refusals,
    ),
    security(("clientCertificate" = []), ()),
)]
pub async fn revoke_token(State(app): State<Arc<App>>, request: Request) -> Response {
    let mut allowance = None;
    let answered = answer(&app, request, &mut allowance)
        .await
        .map(|()| StatusCode::OK);
    respond(answered, allowance)
}

async fn answer(
    app: &App,
    request: Request,
    allowance: &mut Option<Allowance>,
) -> Result<(), OauthError> {
    let (parts, body) = request.into_parts();
    let peer = Peer::of(&parts).map_err(OauthError::Failed)?;
    let question = TokenQuestion::read(&parts, body).await?;
    let snapshot = app.registry.snapshot().await?;
    let credentials = &question.credentials;
    let certificate = peer.certificate.as_ref();
    let unused = UnusedAssertion::check(app, &snapshot, credentials, certificate).await?;
    let claims = verify(app, &snapshot, &question.token).ok();
    // RFC 7009 section 2.1: only a token that was issued to this very client.
    let own = claims.filter(|claims| claims.client_id == unused.client().id);
    let revoked = own.map(|claims| RevokedToken {
        token_id: claims.jti.clone(),
        expires_at: claims.exp,
    });
    let revoke = move |write: &mut storage::Write<'_>| match &revoked {
        Some(token) => insert_revoked_token(write, token).map(drop),
        None => Ok(()),
    };
    let _proof = unused.use_up(app, allowance, revoke).await?;
    Ok(())
}

/// How such a request may be refused.
struct Refusals;

impl IntoResponses for Refusals {
    fn responses() -> BTreeMap<String, RefOr<DescribedResponse>> {
        error::describe([])
    }
}
