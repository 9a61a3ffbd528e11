//! Bounds of token requests, with their units.

/// Body of a token request, in bytes. An assertion has at most 16 KiB.
pub(crate) const TOKEN_BODY_BYTES_MAX: usize = 64 * 1024;
