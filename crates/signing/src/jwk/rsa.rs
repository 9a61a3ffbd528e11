//! The modulus and the exponent of an RSA public key, and their checks.

use aws_lc_rs::encoding::AsDer;
use aws_lc_rs::signature::RsaPublicKeyComponents;

use super::{JwkError, roca};

/// A checked modulus and exponent, big-endian without leading zeros.
#[derive(Clone)]
pub(super) struct RsaNumbers {
    modulus: Vec<u8>,
    exponent: Vec<u8>,
}

impl RsaNumbers {
    /// Checks the numbers of RFC 7518 section 6.3.1 (S-21).
    pub(super) fn check(modulus: Vec<u8>, exponent: Vec<u8>) -> Result<Self, JwkError> {
        check_exponent(&exponent)?;
        check_modulus(&modulus)?;
        Ok(Self { modulus, exponent })
    }

    pub(super) fn modulus(&self) -> &[u8] {
        &self.modulus
    }

    pub(super) fn exponent(&self) -> &[u8] {
        &self.exponent
    }

    /// The key as an X.509 `SubjectPublicKeyInfo`.
    pub(super) fn to_der(&self) -> Result<Vec<u8>, JwkError> {
        let components = RsaPublicKeyComponents {
            n: &self.modulus,
            e: &self.exponent,
        };
        components
            .as_der()
            .map(|der| der.as_ref().to_vec())
            .map_err(|_| JwkError::RsaModulus)
    }
}

fn check_exponent(exponent: &[u8]) -> Result<(), JwkError> {
    // RFC 7518 section 6.3.1.2: the smallest number of octets, so no leading zero.
    if exponent.first().is_none_or(|first| *first == 0) {
        return Err(JwkError::Member("e"));
    }
    if exponent.len() > 5 {
        return Err(JwkError::RsaExponent);
    }
    let value = exponent
        .iter()
        .fold(0_u64, |value, byte| (value << 8) | u64::from(*byte));
    // RFC 8017 section 3.1: an odd exponent of at least 3. With 1, every message is its own
    // signature. Above 33 bits only the cost grows.
    if value < 3 || value.is_multiple_of(2) || value >> 33 != 0 {
        return Err(JwkError::RsaExponent);
    }
    Ok(())
}

fn check_modulus(modulus: &[u8]) -> Result<(), JwkError> {
    let (Some(first), Some(last)) = (modulus.first(), modulus.last()) else {
        return Err(JwkError::Member("n"));
    };
    // RFC 7518 section 6.3.1.1: no leading zero octet. A key with two encodings would have two
    // thumbprints.
    if *first == 0 {
        return Err(JwkError::Member("n"));
    }
    // RFC 7518 sections 3.3 and 3.5: at least 2048 bits. The upper bound limits the cost.
    if !(256..=1024).contains(&modulus.len()) || (modulus.len() == 256 && *first < 0x80) {
        return Err(JwkError::RsaSize);
    }
    if last.is_multiple_of(2) {
        return Err(JwkError::RsaModulus);
    }
    if roca::is_weak(modulus) {
        return Err(JwkError::RsaRoca);
    }
    Ok(())
}
