//! The properties that a sealed document lacks since they were erased, as the store keeps them.

use std::collections::BTreeMap;

/// The bytes of one erased property: its place and its digest.
pub(crate) const ERASED_BYTES: i64 = 40;

/// Writes places with their digests.
pub(crate) fn encode_erased(erased: &BTreeMap<usize, [u8; 32]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (place, digest) in erased {
        bytes.extend_from_slice(&(*place as u64).to_be_bytes());
        bytes.extend_from_slice(digest);
    }
    bytes
}

/// Reads [`encode_erased`].
pub(crate) fn decode_erased(bytes: &[u8]) -> Option<BTreeMap<usize, [u8; 32]>> {
    let (parts, rest) = bytes.as_chunks::<40>();
    if !rest.is_empty() {
        return None;
    }
    let parts = parts.iter().map(|part| {
        let (place, digest) = part.split_first_chunk::<8>()?;
        let place = usize::try_from(u64::from_be_bytes(*place)).ok()?;
        Some((place, digest.try_into().ok()?))
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn erased_places_are_read_as_they_were_written_or_not_at_all() {
        let erased = BTreeMap::from([(0, [1; 32]), (7, [2; 32])]);
        let bytes = encode_erased(&erased);
        assert_eq!(bytes.len(), 2 * usize::try_from(ERASED_BYTES).unwrap());
        assert_eq!(decode_erased(&bytes), Some(erased));
        assert_eq!(decode_erased(&[]), Some(BTreeMap::new()));
        assert_eq!(decode_erased(&bytes[1..]), None);
    }
}
