//! The access token of a request, from its `Authorization` field to the proof.

use edge::peer::Peer;
use http::HeaderMap;
use http::header;
use http::request::Parts;
use tokens::access::BoundToken;
use tokens::context::TokenContext;
use tokens::registry::{Scope, Snapshot};

use crate::problem::Problem;

/// Checks the token of a request, its binding to the connection's certificate, and its scope.
pub async fn prove(
    tokens: &TokenContext,
    snapshot: &Snapshot,
    parts: &Parts,
    scope: Scope,
) -> Result<BoundToken, Problem> {
    let peer = find_peer(parts)?;
    let text = read_bearer(&parts.headers)?;
    let certificate = peer.certificate.as_ref();
    Ok(BoundToken::prove(tokens, snapshot, text, certificate, scope).await?)
}

/// The peer of a request, which the edge put among the extensions.
pub fn find_peer(parts: &Parts) -> Result<&Peer, Problem> {
    let peer = parts.extensions.get();
    peer.ok_or_else(|| Problem::Internal("a request without its peer".to_owned()))
}

/// Whether a request has an access token, or another text in its place.
pub fn has_bearer(headers: &HeaderMap) -> bool {
    let fields = headers.get_all(header::AUTHORIZATION).iter();
    let mut schemes = fields.map(|field| field.as_bytes().split(|byte| *byte == b' ').next());
    schemes.any(|scheme| scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"bearer")))
}

/// Reads the token of the `Authorization` field. The case of the scheme does not matter (RFC 9110
/// section 11.1). Tokens anywhere else are ignored (RFC 6750 section 2; FAPI 2.0 section 5.3.4).
fn read_bearer(headers: &HeaderMap) -> Result<&str, Problem> {
    let mut fields = headers.get_all(header::AUTHORIZATION).iter();
    let Some(field) = fields.next() else {
        return Err(Problem::TokenMissing);
    };
    if fields.next().is_some() {
        return Err(Problem::TokenInvalid("Send one Authorization field only."));
    }
    // A token is long, and `to_str` looks at its characters one by one.
    let text = field.as_bytes();
    let text = text.is_ascii().then(|| str::from_utf8(text).ok()).flatten();
    match text.and_then(|text| text.split_once(' ')) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => Ok(token.trim()),
        Some(_) | None => Err(Problem::TokenMissing),
    }
}
