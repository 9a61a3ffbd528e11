//! Public keys as JWKs and JWK sets (RFC 7517): read, checked, used, published.

mod ed25519;
mod roca;
mod rsa;
mod set;
mod shown;

use std::fmt;

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA256,
};
use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::algorithm::Algorithm;
use crate::base64url;
use crate::canonical::{self, CanonicalError};

use self::rsa::RsaNumbers;
pub use self::set::JwkSet;
use self::set::{MAX_SET_BYTES, MAX_SET_KEYS};
pub use self::shown::{Showing, ShownKeys};

/// The longest `kid`, in characters.
const MAX_KID_CHARS: usize = 256;

/// Members that only a private or symmetric key has (RFC 7518 sections 6.2.2,
/// 6.3.2 and 6.4.1, RFC 8037 section 2).
const PRIVATE_MEMBERS: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/// Why a JWK or a JWK set is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum JwkError {
    /// The set is not acceptable JSON.
    #[error("the key set is {0}")]
    Json(#[from] CanonicalError),
    /// The set is longer than 256 KiB.
    #[error("the key set is too long: send at most {MAX_SET_BYTES} bytes")]
    TooLong,
    /// The set is not an object with an array `keys`.
    #[error("not a key set: send an object with an array `keys` (RFC 7517 section 5)")]
    NotASet,
    /// The set has no key for signatures, or more than 100 keys.
    #[error("send 1 to {MAX_SET_KEYS} keys, at least one of them for signatures")]
    KeyCount,
    /// Two keys of the set have the same `kid`.
    #[error("two keys have the kid {0:?}: give each key its own")]
    DuplicateKid(String),
    /// One key of the set is refused; positions count from 1.
    #[error("key {position} of the set: {reason}")]
    InSet {
        /// The place of the key in the set, from 1.
        position: usize,
        /// Why the key is refused.
        reason: Box<JwkError>,
    },
    /// The JWK is not a JSON object.
    #[error("a key must be a JSON object")]
    NotAnObject,
    /// A member is missing, or has the wrong type, length or encoding.
    #[error("the member `{0}` is missing or malformed")]
    Member(&'static str),
    /// The JWK holds private or secret key material.
    #[error("the member `{0}` is secret: replace this key at once, and send public members only")]
    PrivateMember(&'static str),
    /// The key is not RSA, EC with P-256 or OKP with Ed25519.
    #[error("unsupported kty or crv: use RSA, EC with P-256 or OKP with Ed25519")]
    UnsupportedKeyType,
    /// `alg` is not one of the four algorithms, or does not fit the key.
    #[error("`alg` does not fit the key: use RS256 or PS256 (RSA), ES256 (EC) or EdDSA (OKP)")]
    UnsupportedAlgorithm,
    /// `use` is not `sig`.
    #[error("`use` is not `sig`: the key is not for signatures")]
    NotForSignatures,
    /// `key_ops` does not allow `verify`.
    #[error("`key_ops` must hold `verify`, and nothing twice")]
    KeyOperations,
    /// The RSA modulus is under 2,048 or over 8,192 bits.
    #[error("the RSA modulus must have from 2048 to 8192 bits")]
    RsaSize,
    /// The RSA modulus is even or otherwise invalid.
    #[error("the RSA modulus is not the product of two large primes")]
    RsaModulus,
    /// The RSA exponent is even, under 3 or over 33 bits.
    #[error("the RSA exponent must be odd, at least 3 and at most 33 bits: use 65537")]
    RsaExponent,
    /// The faulty generator of CVE-2017-15361 made the RSA modulus.
    #[error("the RSA key is weak (ROCA, CVE-2017-15361): make a new one elsewhere")]
    RsaRoca,
    /// The coordinates are not a point of the curve, or the point has small order.
    #[error("the key is not a usable point of its curve")]
    Point,
}

/// Why a signature is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum VerifyError {
    /// The algorithm does not fit the key's type or the algorithm that the key is pinned to.
    #[error("the key does not allow this algorithm")]
    AlgorithmNotAllowed,
    /// The signature does not verify.
    #[error("the signature does not verify")]
    BadSignature,
}

/// A public key for signatures, parsed and checked once.
#[derive(Clone)]
pub struct PublicKey {
    material: Material,
    kid: Option<String>,
    pinned: Option<Algorithm>,
}

#[derive(Clone)]
enum Material {
    Rsa {
        numbers: RsaNumbers,
        pkcs1: ParsedPublicKey,
        pss: ParsedPublicKey,
    },
    P256 {
        x: Vec<u8>,
        y: Vec<u8>,
        key: ParsedPublicKey,
    },
    Ed25519 {
        x: Vec<u8>,
        key: ParsedPublicKey,
    },
}

impl PublicKey {
    /// Reads a public JWK: RSA, EC P-256 (RFC 7518 section 6) or OKP Ed25519
    /// (RFC 8037 section 2). Unknown members are ignored (RFC 7517 section 4).
    ///
    /// # Errors
    /// Every variant of [`JwkError`] about one key.
    pub fn from_jwk(jwk: &Value) -> Result<Self, JwkError> {
        let members = jwk.as_object().ok_or(JwkError::NotAnObject)?;
        // This check comes first, because the owner must learn of the leak whatever else is wrong.
        let mut private = PRIVATE_MEMBERS.into_iter();
        if let Some(name) = private.find(|name| members.contains_key(*name)) {
            return Err(JwkError::PrivateMember(name));
        }
        check_purpose(members)?;
        let kid = read_kid(members)?;
        let key = match text(members, "kty")? {
            "RSA" => Self::from_rsa(bytes(members, "n")?, bytes(members, "e")?)?,
            "EC" if text(members, "crv")? == "P-256" => {
                Self::from_p256(bytes(members, "x")?, bytes(members, "y")?)?
            }
            "OKP" if text(members, "crv")? == "Ed25519" => {
                Self::from_ed25519(bytes(members, "x")?)?
            }
            _ => return Err(JwkError::UnsupportedKeyType),
        };
        // RFC 7517 section 4.4: `alg` names the only algorithm of the key.
        let pinned = match optional_text(members, "alg")? {
            None => None,
            Some(name) => Some(
                Algorithm::parse(name)
                    .filter(|algorithm| key.fits(*algorithm))
                    .ok_or(JwkError::UnsupportedAlgorithm)?,
            ),
        };
        Ok(Self { kid, pinned, ..key })
    }

    /// The key's `kid`, if any: at most 256 characters.
    pub fn kid(&self) -> Option<&str> {
        self.kid.as_deref()
    }

    /// The algorithm that the key's `alg` names, if any. The key allows no other.
    pub fn pinned(&self) -> Option<Algorithm> {
        self.pinned
    }

    /// Whether the key allows `algorithm`: it fits the key's type and the pinned algorithm (RFC
    /// 8725 section 3.1).
    pub fn fits(&self, algorithm: Algorithm) -> bool {
        self.pinned.is_none_or(|pinned| pinned == algorithm) && self.key_for(algorithm).is_some()
    }

    /// The size of an RSA key's modulus in bits, rounded up to whole octets; `None` for other keys.
    pub fn rsa_bits(&self) -> Option<usize> {
        match &self.material {
            Material::Rsa { numbers, .. } => Some(numbers.modulus().len() * 8),
            Material::P256 { .. } | Material::Ed25519 { .. } => None,
        }
    }

    /// Verifies `signature` over the unhashed `message`.
    ///
    /// The signature has the form of RFC 7518 section 3 or RFC 8037 section 3.1. An ES256 signature
    /// is `r || s` in 64 bytes.
    pub fn verify(
        &self,
        algorithm: Algorithm,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), VerifyError> {
        let key = self
            .key_for(algorithm)
            .filter(|_| self.fits(algorithm))
            .ok_or(VerifyError::AlgorithmNotAllowed)?;
        key.verify_sig(message, signature)
            .map_err(|_| VerifyError::BadSignature)
    }

    /// The key as a JWK: its public members, `use`, and `kid` and `alg` if known.
    pub fn to_jwk(&self) -> Value {
        let mut jwk = self.required_members();
        jwk.insert("use".to_owned(), json!("sig"));
        if let Some(kid) = &self.kid {
            jwk.insert("kid".to_owned(), json!(kid));
        }
        if let Some(algorithm) = self.pinned {
            jwk.insert("alg".to_owned(), json!(algorithm.as_str()));
        }
        Value::Object(jwk)
    }

    /// The JWK thumbprint with SHA-256, base64url (RFC 7638 section 3, for OKP
    /// RFC 8037 section 2).
    pub fn thumbprint(&self) -> String {
        // The map sorts its members, and all of them are ASCII strings, so this is the text that
        // the RFC hashes.
        let text = Value::Object(self.required_members()).to_string();
        base64url::encode(&canonical::digest(text.as_bytes()))
    }

    pub(crate) fn from_rsa(modulus: Vec<u8>, exponent: Vec<u8>) -> Result<Self, JwkError> {
        let numbers = RsaNumbers::check(modulus, exponent)?;
        let der = numbers.to_der()?;
        let parse =
            |algorithm| ParsedPublicKey::new(algorithm, &der).map_err(|_| JwkError::RsaModulus);
        Ok(Self::plain(Material::Rsa {
            pkcs1: parse(&RSA_PKCS1_2048_8192_SHA256)?,
            pss: parse(&RSA_PSS_2048_8192_SHA256)?,
            numbers,
        }))
    }

    pub(crate) fn from_p256(x: Vec<u8>, y: Vec<u8>) -> Result<Self, JwkError> {
        // RFC 7518 section 6.2.1.2: each coordinate has its full 32 octets.
        if x.len() != 32 || y.len() != 32 {
            return Err(JwkError::Point);
        }
        let point = [&[4], x.as_slice(), y.as_slice()].concat();
        let key =
            ParsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).map_err(|_| JwkError::Point)?;
        Ok(Self::plain(Material::P256 { x, y, key }))
    }

    pub(crate) fn from_ed25519(x: Vec<u8>) -> Result<Self, JwkError> {
        ed25519::check_point(&x)?;
        let key = ParsedPublicKey::new(&ED25519, &x).map_err(|_| JwkError::Point)?;
        Ok(Self::plain(Material::Ed25519 { x, key }))
    }

    /// The same key with its thumbprint as `kid`, pinned to `algorithm`.
    pub(crate) fn pinned_to(self, algorithm: Algorithm) -> Self {
        Self {
            kid: Some(self.thumbprint()),
            pinned: Some(algorithm),
            ..self
        }
    }

    /// The same key with another `kid`.
    pub(crate) fn with_kid(self, kid: &str) -> Self {
        Self {
            kid: Some(kid.to_owned()),
            ..self
        }
    }

    fn plain(material: Material) -> Self {
        Self {
            material,
            kid: None,
            pinned: None,
        }
    }

    fn key_for(&self, algorithm: Algorithm) -> Option<&ParsedPublicKey> {
        match (&self.material, algorithm) {
            (Material::Rsa { pkcs1, .. }, Algorithm::Rs256) => Some(pkcs1),
            (Material::Rsa { pss, .. }, Algorithm::Ps256) => Some(pss),
            (Material::P256 { key, .. }, Algorithm::Es256)
            | (Material::Ed25519 { key, .. }, Algorithm::EdDsa) => Some(key),
            (Material::Rsa { .. }, Algorithm::Es256 | Algorithm::EdDsa)
            | (Material::P256 { .. }, Algorithm::Rs256 | Algorithm::Ps256 | Algorithm::EdDsa)
            | (Material::Ed25519 { .. }, Algorithm::Rs256 | Algorithm::Ps256 | Algorithm::Es256) => {
                None
            }
        }
    }

    /// The members that RFC 7638 section 3.2 requires for the key's type.
    fn required_members(&self) -> Map<String, Value> {
        let members = match &self.material {
            Material::Rsa { numbers, .. } => vec![
                ("e", base64url::encode(numbers.exponent())),
                ("kty", "RSA".to_owned()),
                ("n", base64url::encode(numbers.modulus())),
            ],
            Material::P256 { x, y, .. } => vec![
                ("crv", "P-256".to_owned()),
                ("kty", "EC".to_owned()),
                ("x", base64url::encode(x)),
                ("y", base64url::encode(y)),
            ],
            Material::Ed25519 { x, .. } => vec![
                ("crv", "Ed25519".to_owned()),
                ("kty", "OKP".to_owned()),
                ("x", base64url::encode(x)),
            ],
        };
        members
            .into_iter()
            .map(|(name, value)| (name.to_owned(), Value::String(value)))
            .collect()
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PublicKey")
            .field("kid", &self.kid)
            .field("alg", &self.pinned)
            .field("thumbprint", &self.thumbprint())
            .finish_non_exhaustive()
    }
}

fn check_purpose(members: &Map<String, Value>) -> Result<(), JwkError> {
    // RFC 7517 section 4.2.
    if optional_text(members, "use")?.is_some_and(|purpose| purpose != "sig") {
        return Err(JwkError::NotForSignatures);
    }
    // RFC 7517 section 4.3: an array of distinct strings.
    let Some(operations) = members.get("key_ops") else {
        return Ok(());
    };
    let operations = operations.as_array().ok_or(JwkError::KeyOperations)?;
    let distinct = operations.iter().enumerate().all(|(index, operation)| {
        operation.is_string() && !operations[..index].contains(operation)
    });
    if !distinct || !operations.iter().any(|operation| operation == "verify") {
        return Err(JwkError::KeyOperations);
    }
    Ok(())
}

fn read_kid(members: &Map<String, Value>) -> Result<Option<String>, JwkError> {
    let kid = optional_text(members, "kid")?;
    if kid.is_some_and(|kid| kid.is_empty() || kid.chars().count() > MAX_KID_CHARS) {
        return Err(JwkError::Member("kid"));
    }
    Ok(kid.map(str::to_owned))
}

fn text<'a>(members: &'a Map<String, Value>, name: &'static str) -> Result<&'a str, JwkError> {
    optional_text(members, name)?.ok_or(JwkError::Member(name))
}

fn optional_text<'a>(
    members: &'a Map<String, Value>,
    name: &'static str,
) -> Result<Option<&'a str>, JwkError> {
    members
        .get(name)
        .map(|value| value.as_str().ok_or(JwkError::Member(name)))
        .transpose()
}

fn bytes(members: &Map<String, Value>, name: &'static str) -> Result<Vec<u8>, JwkError> {
    base64url::decode_strict(text(members, name)?).map_err(|_| JwkError::Member(name))
}
