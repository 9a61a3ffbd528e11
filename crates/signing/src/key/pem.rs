//! The PEM form of a PKCS#8 private key (RFC 7468 section 10).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const BEGIN: &str = "-----BEGIN PRIVATE KEY-----";
const END: &str = "-----END PRIVATE KEY-----";
const LINE_CHARS: usize = 64;
const MAX_BYTES: usize = 16 * 1024;

/// The DER of a text that is exactly one such block, lines of any length and
/// any line ending; `None` for everything else.
pub(super) fn decode_private_key(text: &str) -> Option<Vec<u8>> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let body = text.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
    let base64: String = body.split_ascii_whitespace().collect();
    STANDARD.decode(base64).ok().filter(|der| !der.is_empty())
}

/// The block for this DER, with lines of 64 characters.
pub(super) fn encode_private_key(der: &[u8]) -> String {
    let base64 = STANDARD.encode(der);
    let mut text = format!("{BEGIN}\n");
    let mut rest = base64.as_str();
    while !rest.is_empty() {
        let (line, tail) = rest.split_at_checked(LINE_CHARS).unwrap_or((rest, ""));
        text.push_str(line);
        text.push('\n');
        rest = tail;
    }
    text.push_str(END);
    text.push('\n');
    text
}
