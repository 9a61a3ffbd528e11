//! The id that somebody else gives one of the service's keys.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The longest id, in characters (S-76).
pub const KID_CHARACTERS_MAX: usize = 128;

/// An id of 1 to 128 visible ASCII characters (S-76).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenKid(String);

/// The text is no such id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a kid has 1 to {KID_CHARACTERS_MAX} visible ASCII characters, without spaces")]
pub struct GivenKidError;

impl GivenKid {
    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for GivenKid {
    type Err = GivenKidError;

    fn from_str(text: &str) -> Result<Self, GivenKidError> {
        let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if text.is_empty() || text.len() > KID_CHARACTERS_MAX || !is_visible {
            return Err(GivenKidError);
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for GivenKid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
