//! Reads the one DER structure that the library gives no access to.

/// The modulus and the exponent of an `RSAPublicKey` (RFC 8017 appendix
/// A.1.1), big-endian without leading zeros; `None` if `der` is none.
pub(super) fn read_rsa_public_key(der: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let (sequence, rest) = read_element(der, 0x30)?;
    let (modulus, after_modulus) = read_element(sequence, 0x02)?;
    let (exponent, after_exponent) = read_element(after_modulus, 0x02)?;
    (rest.is_empty() && after_exponent.is_empty())
        .then(|| (without_sign(modulus), without_sign(exponent)))
}

/// The content of the element with this tag, and what follows it.
fn read_element(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (&first, rest) = der.split_first()?;
    let (&short, rest) = rest.split_first()?;
    let (length, rest) = match short {
        0..0x80 => (usize::from(short), rest),
        // X.690 section 8.1.3.5: this many octets of length follow. Two are
        // enough for the largest key.
        0x81 | 0x82 => {
            let (octets, rest) = rest.split_at_checked(usize::from(short - 0x80))?;
            let length = octets
                .iter()
                .fold(0, |length, octet| (length << 8) | usize::from(*octet));
            (length, rest)
        }
        0x80 | 0x83.. => return None,
    };
    (first == tag).then_some(())?;
    rest.split_at_checked(length)
}

/// Takes off the zero octet that keeps a DER integer positive.
fn without_sign(integer: &[u8]) -> Vec<u8> {
    integer.strip_prefix(&[0]).unwrap_or(integer).to_vec()
}
