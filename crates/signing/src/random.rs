//! Random tokens from the system's generator, and comparison in constant time.

use aws_lc_rs::{constant_time, rand};
use thiserror::Error;

use crate::base64url;

/// The largest number of random bytes in a token.
const MAX_TOKEN_BYTES: usize = 1024;

/// Why a random token cannot be made.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum RandomError {
    /// The number of bytes is 0 or above 1,024.
    #[error("ask for 1 to {MAX_TOKEN_BYTES} random bytes, not {0}")]
    Length(usize),
    /// The system's generator failed.
    #[error("the system's random generator failed; try again, and check the system if it persists")]
    Generator,
}

/// Makes a token of `bytes` random bytes, written in base64url without padding.
///
/// A credential needs at least 16 bytes (FAPI 2.0 Security Profile section 5.4.1), an API key
/// needs 32 (S-26).
///
/// # Errors
/// [`RandomError::Length`] for 0 or more than 1,024 bytes, and
/// [`RandomError::Generator`] when the system's generator fails.
pub fn token(bytes: usize) -> Result<String, RandomError> {
    // A token of no bytes would be the same token every time.
    if bytes == 0 || bytes > MAX_TOKEN_BYTES {
        return Err(RandomError::Length(bytes));
    }
    let mut buffer = vec![0_u8; bytes];
    rand::fill(&mut buffer).map_err(|_| RandomError::Generator)?;
    Ok(base64url::encode(&buffer))
}

/// Whether `left` and `right` are the same bytes. The time depends on their lengths only, so that
/// it tells nothing about a secret.
pub fn constant_time_eq(left: &[u8], right: &[u8]) -> bool {
    constant_time::verify_slices_are_equal(left, right).is_ok()
}
