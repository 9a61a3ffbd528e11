//! Private signing keys: made, read, written and used, but never shown.

mod given_kid;
mod private_jwk;

use std::fmt;

use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
use aws_lc_rs::error::Unspecified;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256,
    RSA_PSS_SHA256, RsaEncoding, RsaKeyPair,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls_pki_types::pem::{PemObject as _, SectionKind};
use thiserror::Error;
use x509_parser::prelude::FromDer as _;
use x509_parser::public_key::RSAPublicKey;

use crate::algorithm::Algorithm;
use crate::jwk::{JwkError, PublicKey};

pub use self::given_kid::{GivenKid, GivenKidError, KID_CHARACTERS_MAX};
pub use self::private_jwk::PrivateJwk;

/// The size of a new RSA key (S-28).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RsaSize {
    /// 2,048 bits, the default.
    Bits2048,
    /// 3,072 bits.
    Bits3072,
    /// 4,096 bits.
    Bits4096,
}

impl RsaSize {
    /// The size for a new key that replaces `key`: the smallest one that is not below the size of
    /// `key`, at most 4,096 bits. `None` when `key` is not an RSA key.
    pub fn of(key: &PublicKey) -> Option<Self> {
        match key.rsa_bits()? {
            0..=2048 => Some(Self::Bits2048),
            2049..=3072 => Some(Self::Bits3072),
            _ => Some(Self::Bits4096),
        }
    }

    /// The number of bits.
    pub const fn bits(self) -> u64 {
        match self {
            Self::Bits2048 => 2048,
            Self::Bits3072 => 3072,
            Self::Bits4096 => 4096,
        }
    }
}

/// Why a signing key cannot be made, read, written or used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// An RSA size was asked for with an algorithm that is not RSA.
    #[error("{0} is not an RSA algorithm: use RS256 or PS256")]
    NotRsa(Algorithm),
    /// The text is not one PEM block with the label `PRIVATE KEY`.
    #[error(
        "not an unencrypted PKCS#8 key in PEM: it must be one block that begins \
         `-----BEGIN PRIVATE KEY-----` (`openssl pkcs8 -topk8 -nocrypt` converts others)"
    )]
    NotPem,
    /// The PEM block holds no valid key for the algorithm.
    #[error("the key is damaged, or is not one for {0}")]
    WrongKey(Algorithm),
    /// The text is no private RSA key as a JWK.
    #[error("not a private RSA key as a JWK: {0}")]
    NotPrivateJwk(&'static str),
    /// The public key is refused, for example a weak RSA key.
    #[error("the key cannot be used: {0}")]
    Refused(#[from] JwkError),
    /// The keeper of the key failed.
    #[error("{0}")]
    Elsewhere(String),
    /// The cryptographic library failed.
    #[error("the cryptographic library could not {0}")]
    Library(&'static str),
}

/// The longest PEM text that is read, in bytes.
const MAX_PEM_BYTES: usize = 16 * 1024;

/// The characters on a line of PEM (RFC 7468 section 2).
const PEM_LINE_CHARS: usize = 64;

/// Signs with a key that never leaves its keeper, such as a hardware security module.
pub trait SignsElsewhere: Send + Sync {
    /// Signs the unhashed `message` (RSASSA-PKCS1-v1_5 with SHA-256, RFC 8017 section 8.2). Blocks.
    ///
    /// # Errors
    /// Why the keeper did not sign, in a sentence without secrets.
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, String>;
}

/// An RSA key that something else keeps.
pub struct RsaKeyElsewhere {
    /// The public modulus, without leading zeros.
    pub modulus: Vec<u8>,
    /// The public exponent, without leading zeros.
    pub exponent: Vec<u8>,
    /// Signs with the private part.
    pub signer: Box<dyn SignsElsewhere>,
}

/// A private key for one algorithm, parsed once and shared between threads.
pub struct SigningKey {
    private: Private,
    algorithm: Algorithm,
    public: PublicKey,
    kid: String,
}

enum Private {
    Rsa(RsaKeyPair, &'static dyn RsaEncoding),
    P256(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    Elsewhere(RsaKeyElsewhere),
}

impl SigningKey {
    /// Makes a new RSA key for RS256 or PS256.
    ///
    /// # Errors
    /// [`KeyError::NotRsa`] for another algorithm.
    pub fn generate_rsa(algorithm: Algorithm, size: RsaSize) -> Result<Self, KeyError> {
        let encoding = rsa_encoding(algorithm).ok_or(KeyError::NotRsa(algorithm))?;
        let size = match size {
            RsaSize::Bits2048 => KeySize::Rsa2048,
            RsaSize::Bits3072 => KeySize::Rsa3072,
            RsaSize::Bits4096 => KeySize::Rsa4096,
        };
        let pair = RsaKeyPair::generate(size).map_err(|_| KeyError::Library("make a key"))?;
        Self::new(Private::Rsa(pair, encoding), algorithm)
    }

    /// Makes a new key for `algorithm`; RSA keys have 2,048 bits.
    pub fn generate(algorithm: Algorithm) -> Result<Self, KeyError> {
        let failed = |_| KeyError::Library("make a key");
        let private = match algorithm {
            Algorithm::Rs256 | Algorithm::Ps256 => {
                return Self::generate_rsa(algorithm, RsaSize::Bits2048);
            }
            Algorithm::Es256 => Private::P256(
                EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).map_err(failed)?,
            ),
            Algorithm::EdDsa => Private::Ed25519(Ed25519KeyPair::generate().map_err(failed)?),
        };
        Self::new(private, algorithm)
    }

    /// Reads an unencrypted PKCS#8 key in PEM (RFC 5208, RFC 7468 section 10) of at most 16 KiB. An
    /// RSA key does not name its algorithm, so the caller chooses RS256 or PS256.
    ///
    /// # Errors
    /// [`KeyError::NotPem`], [`KeyError::WrongKey`], [`KeyError::Refused`].
    pub fn from_pkcs8_pem(text: &str, algorithm: Algorithm) -> Result<Self, KeyError> {
        let der = read_pem(text).ok_or(KeyError::NotPem)?;
        let rsa = |encoding: &'static dyn RsaEncoding| {
            RsaKeyPair::from_pkcs8(&der).map(|pair| Private::Rsa(pair, encoding))
        };
        let private = match algorithm {
            Algorithm::Rs256 => rsa(&RSA_PKCS1_SHA256),
            Algorithm::Ps256 => rsa(&RSA_PSS_SHA256),
            Algorithm::Es256 => {
                EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der).map(Private::P256)
            }
            Algorithm::EdDsa => Ed25519KeyPair::from_pkcs8(&der).map(Private::Ed25519),
        };
        let private = private.map_err(|_| KeyError::WrongKey(algorithm))?;
        Self::new(private, algorithm)
    }

    /// An RSA key that something else keeps. It signs RS256.
    ///
    /// # Errors
    /// [`KeyError::Refused`] for a weak key.
    pub fn elsewhere(key: RsaKeyElsewhere) -> Result<Self, KeyError> {
        Self::new(Private::Elsewhere(key), Algorithm::Rs256)
    }

    /// Writes the key as unencrypted PKCS#8 in PEM. The text is secret. A key that something else keeps
    /// cannot be written.
    pub fn to_pkcs8_pem(&self) -> Result<String, KeyError> {
        // Every version of OpenSSL reads PKCS#8 version 1.
        let pem = match &self.private {
            Private::Rsa(pair, _) => pair
                .as_der()
                .map(|der: Pkcs8V1Der<'_>| write_pem(der.as_ref())),
            Private::P256(pair) => pair.to_pkcs8v1().map(|der| write_pem(der.as_ref())),
            Private::Ed25519(pair) => pair.to_pkcs8v1().map(|der| write_pem(der.as_ref())),
            Private::Elsewhere(_) => Err(Unspecified),
        };
        pem.map_err(|Unspecified| KeyError::Library("write the key"))
    }

    /// The same key with an id that somebody gave it (S-76).
    #[must_use]
    pub fn with_kid(self, kid: &str) -> Self {
        Self {
            public: self.public.with_kid(kid),
            kid: kid.to_owned(),
            ..self
        }
    }

    /// The key id: the thumbprint of the public key (RFC 7638), or an id that somebody gave it.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// The one algorithm the key signs with.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Signs the unhashed `message`, in the form that [`PublicKey::verify`] takes.
    ///
    /// RS256 and `EdDSA` are deterministic; PS256 and ES256 are not. An RSA signature takes about
    /// a millisecond: call this outside async workers.
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>, KeyError> {
        let failed = |_| KeyError::Library("sign");
        match &self.private {
            Private::Rsa(pair, encoding) => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(*encoding, &SystemRandom::new(), message, &mut signature)
                    .map_err(failed)?;
                Ok(signature)
            }
            Private::P256(pair) => pair
                .sign(&SystemRandom::new(), message)
                .map(|signature| signature.as_ref().to_vec())
                .map_err(failed),
            Private::Ed25519(pair) => pair
                .try_sign(message)
                .map(|signature| signature.as_ref().to_vec())
                .map_err(failed),
            Private::Elsewhere(key) => key.signer.sign(message).map_err(KeyError::Elsewhere),
        }
    }

    /// The public key, with [`SigningKey::kid`] and pinned to the algorithm.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    fn new(private: Private, algorithm: Algorithm) -> Result<Self, KeyError> {
        let unreadable = KeyError::Library("read the public key");
        let public = match &private {
            Private::Rsa(pair, _) => {
                let (_rest, numbers) =
                    RSAPublicKey::from_der(pair.public_key().as_ref()).map_err(|_| unreadable)?;
                // DER puts a zero octet before a number that begins with a set bit.
                let unsigned = |number: &[u8]| number.strip_prefix(&[0]).unwrap_or(number).to_vec();
                PublicKey::from_rsa(unsigned(numbers.modulus), unsigned(numbers.exponent))?
            }
            Private::P256(pair) => {
                // SEC 1 section 2.3.3: 04, then x, then y.
                let point = pair.public_key().as_ref();
                let (x, y) = point
                    .strip_prefix(&[4])
                    .and_then(|numbers| numbers.split_at_checked(32))
                    .ok_or(unreadable)?;
                PublicKey::from_p256(x.to_vec(), y.to_vec())?
            }
            Private::Ed25519(pair) => PublicKey::from_ed25519(pair.public_key().as_ref().to_vec())?,
            Private::Elsewhere(key) => {
                PublicKey::from_rsa(key.modulus.clone(), key.exponent.clone())?
            }
        }
        .pinned_to(algorithm);
        let kid = public.thumbprint();
        Ok(Self {
            private,
            algorithm,
            public,
            kid,
        })
    }
}

impl fmt::Debug for SigningKey {
    /// Shows the id and the algorithm only.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SigningKey")
            .field("kid", &self.kid)
            .field("alg", &self.algorithm.as_str())
            .finish_non_exhaustive()
    }
}

fn rsa_encoding(algorithm: Algorithm) -> Option<&'static dyn RsaEncoding> {
    match algorithm {
        Algorithm::Rs256 => Some(&RSA_PKCS1_SHA256),
        Algorithm::Ps256 => Some(&RSA_PSS_SHA256),
        Algorithm::Es256 | Algorithm::EdDsa => None,
    }
}

/// Returns the DER of the only section of a PEM text, if it is a PKCS#8 private key.
fn read_pem(text: &str) -> Option<Vec<u8>> {
    if text.len() > MAX_PEM_BYTES {
        return None;
    }
    let mut sections = <(SectionKind, Vec<u8>)>::pem_slice_iter(text.trim().as_bytes());
    match (sections.next(), sections.next()) {
        (Some(Ok((SectionKind::PrivateKey, der))), None) if !der.is_empty() => Some(der),
        _ => None,
    }
}

fn write_pem(der: &[u8]) -> String {
    let mut text = "-----BEGIN PRIVATE KEY-----".to_owned();
    for (index, character) in STANDARD.encode(der).chars().enumerate() {
        if index % PEM_LINE_CHARS == 0 {
            text.push('\n');
        }
        text.push(character);
    }
    text.push_str("\n-----END PRIVATE KEY-----\n");
    text
}
