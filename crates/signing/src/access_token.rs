//! JWT access tokens (RFC 9068), bound to a client certificate (RFC 8705).

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::certificate::Thumbprint;
use crate::jws::{self, JwsError, Unverified};
use crate::key::SigningKey;
use crate::random;

/// How far `iat` may be ahead of this node's clock, because another node may issue the token.
const MAX_ISSUED_AHEAD_SECONDS: i64 = 60;

const TYPE: &str = "at+jwt";

/// The member of `cnf` (RFC 8705 section 3.1).
const CERTIFICATE_MEMBER: &str = "x5t#S256";

/// The claims of an access token (RFC 9068 section 2.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessTokenClaims {
    /// The authorisation server's issuer identifier.
    pub iss: String,
    /// The subject: the client id.
    pub sub: String,
    /// The client that requested the token.
    pub client_id: String,
    /// The resource server that the token is for.
    pub aud: String,
    /// The granted scopes, separated by spaces.
    pub scope: String,
    /// Time of issue, Unix seconds.
    pub iat: i64,
    /// Time from which the token is expired, Unix seconds.
    pub exp: i64,
    /// The token's id, by which it can be revoked.
    pub jti: String,
    /// `cnf.x5t#S256`: the SHA-256 digest of the client certificate in DER, in base64url (RFC 8705
    /// section 3.1); `None` for an unbound token (S-24).
    pub certificate: Option<String>,
    /// The generation of the client's tokens. When a new generation begins, the tokens of earlier
    /// ones end. The claim `generation` is our own; it is absent while it is 0.
    pub generation: i64,
}

/// Why a token is refused. Each is `invalid_token`, 401 (RFC 6750 section 3.1).
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum TokenRefusal {
    /// The token is not a JWS of type `at+jwt`, or a claim is missing or mistyped.
    #[error("the token is not an access token of this service; request one at the token endpoint")]
    Malformed,
    /// The header names a key that is unknown or withdrawn.
    #[error("the token's key is unknown or withdrawn; request a new token")]
    UnknownKey,
    /// The signature does not verify, or the header names another algorithm than the key's.
    #[error("the token's signature does not verify; send the token exactly as it was issued")]
    BadSignature,
    /// Another issuer issued the token.
    #[error("the token is from another issuer; request one at this service's token endpoint")]
    WrongIssuer,
    /// The token is for another resource server.
    #[error("the token is for another audience; request one for this service")]
    WrongAudience,
    /// `exp` is not in the future.
    #[error("the token has expired; request a new one")]
    Expired,
    /// `iat` is too far in the future.
    #[error("the token was issued in the future; check the clocks of the service's nodes")]
    NotYet,
}

/// Writes `claims` as a signed JWT of type `at+jwt` (RFC 9068 section 2.1).
///
/// # Errors
/// The errors of [`jws::sign_compact`].
pub fn issue(claims: &AccessTokenClaims, key: &SigningKey) -> Result<String, JwsError> {
    let wire = WireClaims {
        aud: &claims.aud,
        client_id: &claims.client_id,
        cnf: claims
            .certificate
            .as_deref()
            .map(|certificate| WireConfirmation { certificate }),
        exp: claims.exp,
        generation: (claims.generation != 0).then_some(claims.generation),
        iat: claims.iat,
        iss: &claims.iss,
        jti: &claims.jti,
        scope: &claims.scope,
        sub: &claims.sub,
    };
    jws::sign_compact(TYPE, key, &wire)
}

/// Verifies a token at `now` (Unix seconds) as in RFC 9068 section 4: type, key, algorithm and
/// signature, then issuer, audience and times.
///
/// `find_key` returns the trusted token key with an id. The caller checks the rest:
/// revocation, the client's state, generation and scope (S-23), and [`is_bound_to`] for the
/// certificate of the connection.
///
/// # Errors
/// The [`TokenRefusal`] of the first check that fails.
pub fn verify(
    token: &str,
    find_key: impl Fn(&str) -> Option<Arc<SigningKey>>,
    issuer: &str,
    audience: &str,
    now: i64,
) -> Result<AccessTokenClaims, TokenRefusal> {
    let unverified = Unverified::parse(token).map_err(|_| TokenRefusal::Malformed)?;
    // The type tells access tokens from our other JWTs (RFC 9068 section 4, RFC 8725 section 3.11).
    if !unverified.typ().is_some_and(is_access_token_type) {
        return Err(TokenRefusal::Malformed);
    }
    let kid = unverified.kid().ok_or(TokenRefusal::Malformed)?;
    let key = find_key(kid).ok_or(TokenRefusal::UnknownKey)?;
    // The key decides the algorithm, not the header (RFC 8725 section 3.1).
    if unverified.algorithm() != key.algorithm() {
        return Err(TokenRefusal::BadSignature);
    }
    let verified = unverified
        .verify(key.public_key())
        .map_err(|_| TokenRefusal::BadSignature)?;
    let claims = read_claims(verified.claims()).ok_or(TokenRefusal::Malformed)?;
    check_claims(&claims, issuer, audience, now)?;
    Ok(claims)
}

fn check_claims(
    claims: &AccessTokenClaims,
    issuer: &str,
    audience: &str,
    now: i64,
) -> Result<(), TokenRefusal> {
    if claims.iss != issuer {
        return Err(TokenRefusal::WrongIssuer);
    }
    if claims.aud != audience {
        return Err(TokenRefusal::WrongAudience);
    }
    // RFC 7519 section 4.1.4: a token is not accepted at or after `exp`.
    if claims.exp <= now {
        return Err(TokenRefusal::Expired);
    }
    if claims.iat > now.saturating_add(MAX_ISSUED_AHEAD_SECONDS) {
        return Err(TokenRefusal::NotYet);
    }
    Ok(())
}

/// Whether the token is bound to the certificate with this thumbprint (RFC 8705 section 3). The
/// comparison takes constant time. The answer for an unbound token is false.
pub fn is_bound_to(claims: &AccessTokenClaims, thumbprint: &Thumbprint) -> bool {
    claims.certificate.as_deref().is_some_and(|certificate| {
        random::constant_time_eq(certificate.as_bytes(), thumbprint.to_base64url().as_bytes())
    })
}

#[derive(Serialize)]
struct WireClaims<'a> {
    aud: &'a str,
    client_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cnf: Option<WireConfirmation<'a>>,
    exp: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<i64>,
    iat: i64,
    iss: &'a str,
    jti: &'a str,
    scope: &'a str,
    sub: &'a str,
}

#[derive(Serialize)]
struct WireConfirmation<'a> {
    #[serde(rename = "x5t#S256")]
    certificate: &'a str,
}

/// The media type may have the prefix `application/` and is not case-sensitive (RFC 9068 section
/// 4, RFC 7515 section 4.1.9).
fn is_access_token_type(typ: &str) -> bool {
    typ.eq_ignore_ascii_case(TYPE) || typ.eq_ignore_ascii_case("application/at+jwt")
}

/// Reads the claims that RFC 9068 section 2.2 requires; `None` when one is missing or mistyped.
/// `aud` is one string, and times are JSON integers.
fn read_claims(claims: &Map<String, Value>) -> Option<AccessTokenClaims> {
    let text = |name: &str| claims.get(name)?.as_str().map(str::to_owned);
    let seconds = |name: &str| claims.get(name)?.as_i64();
    // A token with an unknown confirmation must not pass as an unbound one (RFC 7800 section 3.1).
    let certificate = match claims.get("cnf") {
        None => None,
        Some(confirmation) => Some(confirmation.get(CERTIFICATE_MEMBER)?.as_str()?.to_owned()),
    };
    Some(AccessTokenClaims {
        iss: text("iss")?,
        sub: text("sub")?,
        client_id: text("client_id")?,
        aud: text("aud")?,
        scope: text("scope")?,
        iat: seconds("iat")?,
        exp: seconds("exp")?,
        jti: text("jti")?,
        certificate,
        generation: claims.get("generation").map_or(Some(0), Value::as_i64)?,
    })
}
