//! Compact JWS (RFC 7515): signed, strictly parsed, and verified.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::algorithm::Algorithm;
use crate::base64url;
use crate::canonical::{self, CanonicalError};
use crate::jwk::{PublicKey, VerifyError};
use crate::key::{KeyError, SigningKey};

/// The longest token that is read or made.
const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// Header members that would change the signed bytes or let the sender choose the key (RFC 7515
/// sections 4.1.2 to 4.1.6 and 4.1.11, RFC 7797, RFC 8725 section 3.10). `crit` is refused because
/// no extension is known.
const REFUSED_HEADERS: [&str; 6] = ["crit", "b64", "jwk", "jku", "x5u", "x5c"];

/// Why a token is not accepted, or cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JwsError {
    /// The token is longer than 16 KiB.
    #[error("the token is too long: at most {MAX_TOKEN_BYTES} bytes")]
    TooLong,
    /// The token does not have three parts with dots between them.
    #[error("not a compact JWS: it must have three parts with dots between them")]
    NotThreeParts,
    /// A part is not strict base64url.
    #[error("the {0} is not base64url without padding")]
    Encoding(&'static str),
    /// The header or the claims are not acceptable JSON.
    #[error("the {part} is {reason}")]
    Json {
        /// `header` or `payload`.
        part: &'static str,
        /// Why it is refused.
        reason: CanonicalError,
    },
    /// The header or the claims are JSON, but not an object.
    #[error("the {0} is not a JSON object")]
    NotAnObject(&'static str),
    /// `alg` is missing or not one of the four algorithms.
    #[error("`alg` must be RS256, PS256, ES256 or EdDSA")]
    Algorithm,
    /// The header has a member that is never accepted.
    #[error("the header member `{0}` is not accepted: leave it out")]
    RefusedHeader(&'static str),
    /// A header member is not a string.
    #[error("the header member `{0}` must be a string")]
    HeaderType(&'static str),
    /// The signature does not verify with the key.
    #[error(transparent)]
    Signature(#[from] VerifyError),
    /// The key could not sign.
    #[error(transparent)]
    Signing(#[from] KeyError),
}

/// A well-formed token. Its signature is not verified.
#[derive(Clone)]
pub struct Unverified {
    algorithm: Algorithm,
    kid: Option<String>,
    typ: Option<String>,
    signing_input: String,
    payload: Vec<u8>,
    signature: Vec<u8>,
}

impl Unverified {
    /// Reads the compact form (RFC 7515 section 7.1): three parts in strict base64url.
    ///
    /// The header must be a JSON object without duplicate members (section 4). It names one of the
    /// four algorithms and has no member that would choose the key or the signed bytes.
    pub fn parse(token: &str) -> Result<Self, JwsError> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(JwsError::TooLong);
        }
        let mut parts = token.split('.');
        let (Some(header), Some(payload), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(JwsError::NotThreeParts);
        };
        let members = parse_object("header", &decode("header", header)?)?;
        let mut refused = REFUSED_HEADERS.into_iter();
        if let Some(name) = refused.find(|name| members.contains_key(*name)) {
            return Err(JwsError::RefusedHeader(name));
        }
        let algorithm = members.get("alg").and_then(Value::as_str);
        Ok(Self {
            algorithm: algorithm
                .and_then(Algorithm::parse)
                .ok_or(JwsError::Algorithm)?,
            kid: header_text(&members, "kid")?,
            typ: header_text(&members, "typ")?,
            // RFC 7515 section 5.2 step 8: the signature covers the received text. Encoding the
            // parsed header again could give another text.
            signing_input: format!("{header}.{payload}"),
            payload: decode("payload", payload)?,
            signature: decode("signature", signature)?,
        })
    }

    /// The header's `kid`.
    pub fn kid(&self) -> Option<&str> {
        self.kid.as_deref()
    }

    /// The header's `typ` as received. Media types are not case-sensitive.
    pub fn typ(&self) -> Option<&str> {
        self.typ.as_deref()
    }

    /// The header's `alg`.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The claims, not verified. A caller may use them only to find the key.
    pub fn unverified_claims(&self) -> Result<Map<String, Value>, JwsError> {
        parse_object("payload", &self.payload)
    }

    /// Verifies the signature and returns the claims (RFC 7515 section 5.2, RFC 7519 section 7.2).
    /// The caller checks the claims.
    ///
    /// # Errors
    /// [`JwsError::Signature`] if the key does not allow the algorithm or the signature is wrong,
    /// [`JwsError::Json`] and [`JwsError::NotAnObject`] if the payload is not a JSON object.
    pub fn verify(&self, key: &PublicKey) -> Result<VerifiedClaims, JwsError> {
        let payload = self.verified_payload(key)?;
        Ok(VerifiedClaims {
            claims: parse_object("payload", payload)?,
        })
    }

    /// Verifies the signature over a payload of any kind and returns the payload.
    pub fn verified_payload(&self, key: &PublicKey) -> Result<&[u8], JwsError> {
        key.verify(
            self.algorithm,
            self.signing_input.as_bytes(),
            &self.signature,
        )?;
        Ok(&self.payload)
    }
}

impl fmt::Debug for Unverified {
    /// Leaves out the payload and the signature, because a token is secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Unverified")
            .field("alg", &self.algorithm.as_str())
            .field("kid", &self.kid)
            .field("typ", &self.typ)
            .finish_non_exhaustive()
    }
}

/// The claims of a verified token. Only [`Unverified::verify`] makes a value.
#[derive(Clone, Debug)]
pub struct VerifiedClaims {
    claims: Map<String, Value>,
}

impl VerifiedClaims {
    /// The claims.
    pub fn claims(&self) -> &Map<String, Value> {
        &self.claims
    }
}

/// Signs `claims` as a compact JWS with the header members `alg`, `kid` (the key's) and `typ`.
///
/// # Errors
/// [`JwsError::NotAnObject`] and [`JwsError::Json`] if `claims` do not serialise to a JSON object,
/// [`JwsError::TooLong`] if [`Unverified::parse`] would refuse the token, [`JwsError::Signing`].
pub fn sign_compact(
    typ: &str,
    key: &SigningKey,
    claims: &impl Serialize,
) -> Result<String, JwsError> {
    let header = Header {
        alg: key.algorithm().as_str(),
        kid: key.kid(),
        typ,
    };
    let header = serialize("header", &header)?;
    let payload = serialize("payload", claims)?;
    if payload.first() != Some(&b'{') {
        return Err(JwsError::NotAnObject("payload"));
    }
    let mut token = base64url::encode(&header);
    token.push('.');
    token.push_str(&base64url::encode(&payload));
    let signature = key.sign(token.as_bytes())?;
    token.push('.');
    token.push_str(&base64url::encode(&signature));
    if token.len() > MAX_TOKEN_BYTES {
        return Err(JwsError::TooLong);
    }
    Ok(token)
}

#[derive(Serialize)]
struct Header<'a> {
    alg: &'a str,
    kid: &'a str,
    typ: &'a str,
}

fn decode(part: &'static str, text: &str) -> Result<Vec<u8>, JwsError> {
    base64url::decode_strict(text).map_err(|_| JwsError::Encoding(part))
}

fn parse_object(part: &'static str, json: &[u8]) -> Result<Map<String, Value>, JwsError> {
    let value = canonical::parse(json).map_err(|reason| JwsError::Json { part, reason })?;
    if let Value::Object(members) = value {
        Ok(members)
    } else {
        Err(JwsError::NotAnObject(part))
    }
}

fn header_text(
    members: &Map<String, Value>,
    name: &'static str,
) -> Result<Option<String>, JwsError> {
    members
        .get(name)
        .map(|value| {
            value
                .as_str()
                .map(str::to_owned)
                .ok_or(JwsError::HeaderType(name))
        })
        .transpose()
}

fn serialize(part: &'static str, value: &impl Serialize) -> Result<Vec<u8>, JwsError> {
    serde_json::to_vec(value).map_err(|error| JwsError::Json {
        part,
        reason: CanonicalError::Unserializable(error.to_string()),
    })
}
