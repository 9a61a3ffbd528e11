//! `POST {auth_url}/introspect`: what a token of the caller's own is good for (RFC 7662).

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::Response;
use signing::access_token::AccessTokenClaims;
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response as DescribedResponse};

use crate::access::{Peer, verify};
use crate::app::App;
use crate::oauth::answer::respond;
use crate::oauth::error::{self, OauthError};
use crate::oauth::request::{QuestionForm, TokenQuestion};
use crate::oauth::verified_assertion::VerifiedAssertion;
use crate::rate_limit::Allowance;
use crate::registry::{Client, Scope};
use crate::wire::introspection::Introspection;

/// Looks at a token.
///
/// Introspection (RFC 7662) for the client that the token was issued to, which
/// proves itself as in a token request. Anything else than a valid token of
/// its own is `{"active": false}`, and nothing more is said.
#[utoipa::path(
    post,
    path = "/introspect",
    tag = "Tokens",
    request_body(content = QuestionForm, content_type = "application/x-www-form-urlencoded"),
    responses(
        (
            status = 200,
            description = "Whether the token counts now, and for what.",
            body = Introspection,
            headers(("cache-control"), ("pragma")),
        ),
        Refusals,
    ),
    security(("clientCertificate" = []), ()),
)]
pub async fn introspect_token(State(app): State<Arc<App>>, request: Request) -> Response {
    let mut allowance = None;
    let answered = answer(&app, request, &mut allowance).await.map(Json);
    respond(answered, allowance)
}

async fn answer(
    app: &App,
    request: Request,
    allowance: &mut Option<Allowance>,
) -> Result<Introspection, OauthError> {
    let (parts, body) = request.into_parts();
    let peer = Peer::of(&parts).map_err(OauthError::Failed)?;
    let question = TokenQuestion::read(&parts, body).await?;
    let snapshot = app.registry.snapshot().await?;
    let credentials = &question.credentials;
    let certificate = peer.certificate.as_ref();
    let proof =
        VerifiedAssertion::prove(app, &snapshot, credentials, certificate, allowance).await?;
    let client = proof.client();
    let claims = verify(app, &snapshot, &question.token)
        .ok()
        .filter(|claims| claims.client_id == client.id && !client.has_ended(claims))
        .filter(|claims| !snapshot.revoked.has(&claims.jti));
    Ok(match claims {
        Some(claims) => Introspection::of(&claims, scopes_of(&claims, client)),
        None => Introspection::inactive(),
    })
}

/// S-23: a scope that was withdrawn since is not the token's any more.
fn scopes_of(claims: &AccessTokenClaims, client: &Client) -> String {
    let names = claims.scope.split(' ');
    let scopes = names.filter_map(Scope::parse);
    let left: Vec<_> = scopes
        .filter(|scope| client.has_scope(*scope))
        .map(Scope::as_str)
        .collect();
    left.join(" ")
}

/// How such a request may be refused.
struct Refusals;

impl IntoResponses for Refusals {
    fn responses() -> BTreeMap<String, RefOr<DescribedResponse>> {
        error::describe([])
    }
}
