//! Client assertions (RFC 7523), with which a client of an authorization server says who it is.

use serde::Serialize;
use thiserror::Error;

use crate::base64url;
use crate::key::{KeyError, SigningKey};
use crate::random::{self, RandomError};

/// The lifetime of a client assertion, in seconds. FAPI 2.0 and S-21 allow more.
pub const LIFETIME_SECONDS: i64 = 120;
/// The random bytes in a `jti`.
const JTI_BYTES: usize = 24;

/// Why an assertion cannot be made.
#[derive(Debug, Error)]
pub enum ClientAssertionError {
    /// It cannot be written as JSON.
    #[error("it cannot be written: {0}")]
    Unserializable(#[from] serde_json::Error),
    /// The key could not sign.
    #[error(transparent)]
    Signing(#[from] KeyError),
    /// There is no randomness.
    #[error(transparent)]
    Random(#[from] RandomError),
}

#[derive(Serialize)]
struct Header<'a> {
    alg: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kid: Option<&'a str>,
    typ: &'a str,
}

/// The claims of a client assertion (RFC 7523, section 3).
#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    sub: &'a str,
    // The FAPI 2.0 Security Profile accepts a plain string only (S-21). One of several audiences could replay the
    // assertion to another.
    aud: &'a str,
    iat: i64,
    exp: i64,
    jti: String,
}

/// Signs an assertion for this audience at `now`, in Unix seconds, as a compact JWS (RFC 7515, section 7.1).
///
/// `signing` names keys by their thumbprint, but an assertion names its key by its registered id, or not at all.
pub fn sign(
    client_id: &str,
    key: &SigningKey,
    kid: Option<&str>,
    audience: &str,
    now: i64,
) -> Result<String, ClientAssertionError> {
    let header = Header {
        alg: key.algorithm().as_str(),
        kid,
        typ: "JWT",
    };
    let claims = Claims {
        iss: client_id,
        sub: client_id,
        aud: audience,
        iat: now,
        exp: now.saturating_add(LIFETIME_SECONDS),
        jti: random::token(JTI_BYTES)?,
    };
    let part = |json: Vec<u8>| base64url::encode(&json);
    let header = part(serde_json::to_vec(&header)?);
    let claims = part(serde_json::to_vec(&claims)?);
    let signing_input = format!("{header}.{claims}");
    let signature = base64url::encode(&key.sign(signing_input.as_bytes())?);
    Ok(format!("{signing_input}.{signature}"))
}
