//! Reads a private RSA key from a JWK.

use aws_lc_rs::rsa::{KeyPairComponents, PublicKeyComponents};
use aws_lc_rs::signature::RsaKeyPair;
use serde_json::{Map, Value};

use super::{KeyError, MAX_PEM_BYTES, Private, SigningKey, rsa_encoding};
use crate::algorithm::Algorithm;
use crate::{base64url, canonical};

/// A private key and the members of its JWK that say what it is for.
#[derive(Debug)]
pub struct PrivateJwk {
    /// The key.
    pub key: SigningKey,
    /// The member `kid`, if it is there.
    pub kid: Option<String>,
}

impl PrivateJwk {
    /// Reads a private RSA key for RS256 or PS256 with all members of RFC 7518 section 6.3.2, in a text of
    /// at most 16 KiB.
    ///
    /// # Errors
    /// [`KeyError::NotPrivateJwk`], [`KeyError::WrongKey`], [`KeyError::NotRsa`] and [`KeyError::Refused`].
    pub fn parse(text: &str, algorithm: Algorithm) -> Result<Self, KeyError> {
        let encoding = rsa_encoding(algorithm).ok_or(KeyError::NotRsa(algorithm))?;
        if text.len() > MAX_PEM_BYTES {
            return Err(KeyError::NotPrivateJwk("it is longer than 16 KiB"));
        }
        let jwk = canonical::parse(text.as_bytes());
        let jwk = jwk.map_err(|_error| KeyError::NotPrivateJwk("it is not strict JSON"))?;
        let members = jwk.as_object();
        let members = members.ok_or(KeyError::NotPrivateJwk("it is not a JSON object"))?;
        check_purpose(members, algorithm)?;
        let components = KeyPairComponents {
            public_key: PublicKeyComponents {
                n: number(members, "n", "the member `n` is missing or malformed")?,
                e: number(members, "e", "the member `e` is missing or malformed")?,
            },
            d: number(members, "d", "it has no member `d`, so it is a public key")?,
            p: number(members, "p", "the member `p` is missing or malformed")?,
            q: number(members, "q", "the member `q` is missing or malformed")?,
            dP: number(members, "dp", "the member `dp` is missing or malformed")?,
            dQ: number(members, "dq", "the member `dq` is missing or malformed")?,
            qInv: number(members, "qi", "the member `qi` is missing or malformed")?,
        };
        let pair = RsaKeyPair::from_components(&components);
        let pair = pair.map_err(|_rejected| KeyError::WrongKey(algorithm))?;
        let kid = members.get("kid").map(|kid| {
            let text = kid.as_str().map(str::to_owned);
            text.ok_or(KeyError::NotPrivateJwk("the member `kid` is no text"))
        });
        Ok(Self {
            key: SigningKey::new(Private::Rsa(pair, encoding), algorithm)?,
            kid: kid.transpose()?,
        })
    }
}

/// RFC 7517 sections 4.1 to 4.4: the key may say what it is, and what it is for.
fn check_purpose(members: &Map<String, Value>, algorithm: Algorithm) -> Result<(), KeyError> {
    let says = |name: &str, wanted: &str| members.get(name).is_none_or(|said| said == wanted);
    if members.get("kty").is_none_or(|kty| kty != "RSA") {
        return Err(KeyError::NotPrivateJwk("`kty` is not `RSA`"));
    }
    if !says("use", "sig") {
        return Err(KeyError::NotPrivateJwk("`use` is not `sig`"));
    }
    if !says("alg", algorithm.as_str()) {
        return Err(KeyError::NotPrivateJwk("`alg` names another algorithm"));
    }
    let may_sign = members.get("key_ops").is_none_or(|operations| {
        let operations = operations.as_array();
        operations.is_some_and(|all| all.iter().any(|operation| operation == "sign"))
    });
    if !may_sign {
        return Err(KeyError::NotPrivateJwk("`key_ops` does not hold `sign`"));
    }
    if members.contains_key("oth") {
        return Err(KeyError::NotPrivateJwk("it has more than two primes"));
    }
    Ok(())
}

fn number(
    members: &Map<String, Value>,
    name: &str,
    missing: &'static str,
) -> Result<Vec<u8>, KeyError> {
    let text = members.get(name).and_then(Value::as_str);
    let bytes = text.and_then(|text| base64url::decode_strict(text).ok());
    let bytes = bytes.filter(|bytes| !bytes.is_empty());
    bytes.ok_or(KeyError::NotPrivateJwk(missing))
}
