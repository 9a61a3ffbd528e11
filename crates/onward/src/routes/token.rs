//! `POST {auth_url}/token`: client credentials, proven by a signed assertion.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::Response;
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response as DescribedResponse};

use crate::access::Peer;
use crate::app::App;
use crate::oauth::answer::respond;
use crate::oauth::error::{self, OauthError};
use crate::oauth::grant;
use crate::oauth::request::{TokenForm, TokenRequest};
use crate::oauth::verified_assertion::VerifiedAssertion;
use crate::rate_limit::Allowance;

/// Issues an access token.
///
/// Client credentials (RFC 6749 section 4.4), proven by `private_key_jwt` (RFC
/// 7523). The token is bound to the certificate of this connection (RFC 8705).
/// Without a certificate a token can be had only for `listing`, and only by a
/// client that registered for it.
#[utoipa::path(
    post,
    path = "/token",
    tag = "Tokens",
    request_body(content = TokenForm, content_type = "application/x-www-form-urlencoded"),
    responses(
        (
            status = 200,
            description = "The token.",
            body = grant::TokenAnswer,
            headers(("cache-control"), ("pragma")),
        ),
        Refusals,
    ),
    security(("clientCertificate" = []), ()),
)]
pub async fn issue_token(State(app): State<Arc<App>>, request: Request) -> Response {
    let mut allowance = None;
    let answered = answer(&app, request, &mut allowance).await.map(Json);
    respond(answered, allowance)
}

async fn answer(
    app: &App,
    request: Request,
    allowance: &mut Option<Allowance>,
) -> Result<grant::TokenAnswer, OauthError> {
    let (parts, body) = request.into_parts();
    let peer = Peer::of(&parts).map_err(OauthError::Failed)?;
    let token_request = TokenRequest::read(&parts, body).await?;
    let snapshot = app.registry.snapshot().await?;
    let credentials = &token_request.credentials;
    let certificate = peer.certificate.as_ref();
    let proof =
        VerifiedAssertion::prove(app, &snapshot, credentials, certificate, allowance).await?;
    let scope = token_request.scope.as_deref();
    let thumbprint = certificate.map(|certificate| certificate.thumbprint);
    grant::issue_token(app, &snapshot, &proof, scope, thumbprint)
}

/// How a token request may be refused.
struct Refusals;

impl IntoResponses for Refusals {
    fn responses() -> BTreeMap<String, RefOr<DescribedResponse>> {
        let own = [
            OauthError::UnsupportedGrantType,
            OauthError::InvalidScope("a scope asked for is not assigned to this client"),
        ];
        error::describe(own)
    }
}
