//! Base64url without padding, in the one form that RFC 7515 allows.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use thiserror::Error;

/// The text is not strict base64url.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "not base64url: use the URL-safe alphabet, no padding, no white space and zero unused bits"
)]
pub struct Base64UrlError;

/// Writes `bytes` as base64url without padding (RFC 7515 section 2).
pub fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads base64url without padding (RFC 7515 section 2).
///
/// Two different texts never give the same bytes: padding, white space, characters outside the
/// URL-safe alphabet and unused bits that are not zero (RFC 4648 section 3.5) are refused.
pub fn decode_strict(text: &str) -> Result<Vec<u8>, Base64UrlError> {
    URL_SAFE_NO_PAD.decode(text).map_err(|_| Base64UrlError)
}
