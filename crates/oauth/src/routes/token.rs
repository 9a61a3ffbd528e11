//! `POST {auth_url}/token`: issues access tokens for client credentials.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use axum::{Extension, Json};
use tokens::context::TokenContext;
use tokens::grant;
use tokens::rate_limit::Allowance;
use tokens::verified_assertion::VerifiedAssertion;
use web::authorization::find_peer;
use web::refusals;

use crate::answer::respond;
use crate::error::{OauthError, describe};
use crate::outcome::TokenOutcome;
use crate::request::{TokenForm, TokenRequest};
use crate::wire::token::TokenAnswer;

refusals!(
    Refusals = describe(
        OauthError::UnsupportedGrantType,
        OauthError::InvalidScope("a scope asked for is not assigned to this client"),
    )
);

/// Issues an access token.
///
/// The client uses the client credentials grant (RFC 6749 section 4.4) and authenticates with
/// `private_key_jwt` (RFC 7523). The token is bound to the client certificate of the connection
/// (RFC 8705). Only a client registered for it can get a token without a certificate, and only
/// for the scope `listing`.
#[utoipa::path(
    post,
    path = "/token",
    tag = "Tokens",
    request_body(content = TokenForm, content_type = "application/x-www-form-urlencoded"),
    responses(
        (
            status = 200,
            description = "The issued token.",
            body = TokenAnswer,
            headers(("cache-control"), ("pragma")),
        ),
        Refusals,
    ),
    security(("clientCertificate" = []), ()),
)]
pub async fn issue_token(State(tokens): State<Arc<TokenContext>>, request: Request) -> Response {
    let mut allowance = None;
    let answered = answer(&tokens, request, &mut allowance).await;
    let issued = answered.map(|answer| {
        let outcome = TokenOutcome::Issued(answer.scope().to_owned());
        (Extension(outcome), Json(answer))
    });
    respond(issued, allowance)
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
