//! The ids of listings, properties, branches and chains, and UPRNs.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use uuid::Uuid;

/// The sale of one property by one branch: `id` of a listing in document 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListingId(pub i64);

/// A property: `address_id` in document 2, `properties[].id` in document 1, `propertyId` in an
/// event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PropertyId(pub i64);

/// A branch of an agent: `branch_id` in document 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BranchId(pub i64);

/// A Unique Property Reference Number: 1 to 12 digits, at least 1 (S-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uprn(i64);

/// A chain: `chainId` in document 1, `chain_link_id` in document 2. This crate never makes a new
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChainId(pub Uuid);

/// Why a text is not a UPRN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UprnError {
    /// The text is empty, longer than 12 characters, or has a character other than 0 to 9.
    #[error("a UPRN must be 1 to 12 digits")]
    NotDigits,
    /// All digits are zeros.
    #[error("a UPRN must be at least 1")]
    Zero,
}

/// Why a text is not a chain id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a chain id must be a UUID of 36 characters with hyphens")]
pub struct ChainIdError;

const UPRN_DIGITS: usize = 12;
const UPRN_MAX: i64 = 999_999_999_999;
const UPRN_PLACEHOLDER_MIN: i64 = 900_000_000_000;
const UUID_HYPHENATED_CHARACTERS: usize = 36;

impl Uprn {
    /// The UPRN with this number; `None` unless it is 1 to 999 999 999 999.
    pub const fn new(number: i64) -> Option<Self> {
        if number >= 1 && number <= UPRN_MAX {
            Some(Self(number))
        } else {
            None
        }
    }

    /// Reads 1 to 12 digits. Leading zeros have no meaning (S-3). Spaces are refused.
    pub fn parse(text: &str) -> Result<Self, UprnError> {
        let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
        if text.is_empty() || text.len() > UPRN_DIGITS || !is_digits {
            return Err(UprnError::NotDigits);
        }
        let number = text.parse().map_err(|_| UprnError::NotDigits)?;
        Self::new(number).ok_or(UprnError::Zero)
    }

    /// The number, 1 to 999 999 999 999.
    pub const fn value(self) -> i64 {
        self.0
    }

    /// Whether it is a placeholder for a UPRN that is not assigned yet (S-12).
    pub const fn is_placeholder(self) -> bool {
        self.0 >= UPRN_PLACEHOLDER_MIN
    }
}

impl FromStr for ChainId {
    type Err = ChainIdError;

    /// Reads the hyphenated form only, in either case (RFC 9562 section 4). Braces, `urn:uuid:`
    /// and a form without hyphens are refused, so that each chain id has one spelling.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() != UUID_HYPHENATED_CHARACTERS {
            return Err(ChainIdError);
        }
        Uuid::try_parse(text).map(Self).map_err(|_| ChainIdError)
    }
}

impl fmt::Display for ListingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for PropertyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for BranchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Uprn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for ChainId {
    /// Hyphenated, lower case: 36 characters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_hyphenated().fmt(f)
    }
}
