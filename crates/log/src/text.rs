//! Numbers and bytes in texts, each in its one spelling.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;

use crate::tree::{Hash, MAX_SIZE};

/// Why a text or its bytes do not have the form that they must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not a {format}: {reason}")]
pub struct Malformed {
    /// The name of the form.
    pub format: &'static str,
    /// The rule that the text breaks.
    pub reason: &'static str,
}

/// Reads an ASCII decimal without leading zeros, at most [`MAX_SIZE`].
pub(crate) fn parse_decimal(text: &str) -> Option<u64> {
    let is_decimal = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let has_leading_zero = text.len() > 1 && text.starts_with('0');
    let number = text.parse().ok()?;
    (is_decimal && !has_leading_zero && number <= MAX_SIZE).then_some(number)
}

/// Writes RFC 4648 section 4 base64, with padding.
pub(crate) fn encode_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Reads RFC 4648 section 4 base64. Missing padding, white space and unused bits that are not zero are
/// refused, so that two texts never give the same bytes.
pub(crate) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

pub(crate) fn decode_hash(text: &str) -> Option<Hash> {
    decode_base64(text)?.try_into().ok()
}

/// Reads lines of hashes up to the first empty line, at most `max`. Returns the text after that line.
pub(crate) fn split_hashes(mut text: &str, max: usize) -> Option<(Vec<Hash>, &str)> {
    let mut hashes = Vec::new();
    loop {
        let (line, rest) = text.split_once('\n')?;
        if line.is_empty() {
            return Some((hashes, rest));
        }
        if hashes.len() == max {
            return None;
        }
        hashes.push(decode_hash(line)?);
        text = rest;
    }
}

/// Writes each hash on a line.
pub(crate) fn write_hashes(hashes: &[Hash]) -> String {
    let lines = hashes.iter().map(|hash| encode_base64(hash) + "\n");
    lines.collect()
}
