//! `POST {auth_url}/token`: client credentials, proven by a signed assertion.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::Response;
use tokens::context::TokenContext;
use tokens::grant;
use tokens::rate_limit::Allowance;
use tokens::verified_assertion::VerifiedAssertion;
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response as DescribedResponse};

use crate::authorization::find_peer;
use crate::oauth::answer::respond;
use crate::oauth::error::{self, OauthError};
use crate::oauth::request::{TokenForm, TokenRequest};
use crate::wire::token::TokenAnswer;

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
            body = TokenAnswer,
            headers(("cache-control"), ("pragma")),
        ),
        Refusals,
    ),
    security(("clientCertificate" = []), ()),
)]
pub(crate) async fn issue_token(
    State(tokens): State<Arc<TokenContext>>,
    request: Request,
) -> Response {
    let mut allowance = None;
    let answered = answer(&tokens, request, &mut allowance).await.map(Json);
    respond(answered, allowance)
}

async fn answer(
    tokens: &TokenContext,
    request: Request,
    allowance: &mut Option<Allowance>,
) -> Result<TokenAnswer, OauthError> {
    let (parts, body) = request.into_parts();
    let peer = find_peer(&parts).map_err(OauthError::Failed)?;
    let token_request = TokenRequest::read(&parts, body).await?;
    let snapshot = tokens.registry.snapshot().await?;
    let credentials = &token_request.credentials;
    let certificate = peer.certificate.as_ref();
    let proof =
        VerifiedAssertion::prove(tokens, &snapshot, credentials, certificate, allowance).await?;
    let scope = token_request.scope.as_deref();
    let thumbprint = certificate.map(|certificate| certificate.thumbprint);
    let issued = grant::issue_token(tokens, &snapshot, &proof, scope, thumbprint).await?;
    Ok(TokenAnswer::of(issued))
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
