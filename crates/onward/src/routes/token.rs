//! `POST {auth_url}/token`: client credentials, proven by a signed assertion.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, header};

use crate::access::Peer;
use crate::app::App;
use crate::oauth::error::OauthError;
use crate::oauth::grant;
use crate::oauth::request::TokenRequest;
use crate::oauth::verified_assertion::VerifiedAssertion;

/// Issues an access token (S-21 to S-24).
pub async fn issue_token(State(app): State<Arc<App>>, request: Request) -> Response {
    let mut response = match answer(&app, request).await {
        Ok(answer) => Json(answer).into_response(),
        Err(refusal) => refusal.into_response(),
    };
    // RFC 6749 section 5.1, for refusals as well.
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    response
}

async fn answer(app: &App, request: Request) -> Result<grant::TokenAnswer, OauthError> {
    let (parts, body) = request.into_parts();
    let peer = Peer::of(&parts).map_err(OauthError::Failed)?;
    let token_request = TokenRequest::read(&parts, body).await?;
    let snapshot = app.registry.snapshot().await?;
    let proof = VerifiedAssertion::prove(app, &snapshot, &token_request).await?;
    grant::issue_token(
        app,
        &snapshot,
        &proof,
        token_request.scope.as_deref(),
        peer.certificate,
    )
}
