//! `POST {auth_url}/introspect`: shows the state of a token (RFC 7662).

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::Response;
use tokens::access::AcceptedToken;
use tokens::context::TokenContext;
use tokens::rate_limit::Allowance;
use tokens::verified_assertion::{Endpoint, VerifiedAssertion};
use web::authorization::find_peer;
use web::refusals;

use crate::answer::respond;
use crate::error::{OauthError, describe};
use crate::request::{QuestionForm, TokenQuestion};
use crate::wire::introspection::Introspection;

refusals!(Refusals = describe());

/// Shows the state of a token.
///
/// A client can inspect its own tokens (RFC 7662). It authenticates as in a token request. A client that is
/// registered as a resource server also inspects valid tokens of others that carry one of its scopes: of these it
/// sees its own scopes, and neither `aud` nor `jti`. The answer for any other text is `{"active": false}`.
// S-75
#[utoipa::path(
    post,
    path = "/introspect",
    tag = "Tokens",
    request_body(content = QuestionForm, content_type = "application/x-www-form-urlencoded"),
    responses(
        (
            status = 200,
            description = "The state of the token.",
            body = Introspection,
            headers(("cache-control"), ("pragma")),
        ),
        Refusals,
    ),
    security(("clientCertificate" = []), ()),
)]
pub(crate) async fn introspect_token(
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
) -> Result<Introspection, OauthError> {
    let (parts, body) = request.into_parts();
    let peer = find_peer(&parts).map_err(OauthError::Failed)?;
    let question = TokenQuestion::read(&parts, body, Endpoint::Introspection).await?;
    let snapshot = tokens.registry.snapshot().await?;
    let credentials = &question.credentials;
    let certificate = peer.certificate.as_ref();
    let proof =
        VerifiedAssertion::prove(tokens, &snapshot, credentials, certificate, allowance).await?;
    let client = proof.client();
    let shown = AcceptedToken::accept_shown(tokens, &snapshot, &question.token, client).await?;
    Ok(shown.map_or_else(Introspection::inactive, |token| {
        Introspection::of(&token, client)
    }))
}
