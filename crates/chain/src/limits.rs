//! Bounds of the values that listings hold.

/// Characters of one text in a JSON body after trimming.
pub const TEXT_CHARACTERS_MAX: usize = 200;
/// Characters of a branch's own reference for a listing, as in an import.
pub const EXTERNAL_ID_CHARACTERS_MAX: usize = 64;
/// Largest UPRN: twelve digits.
pub const UPRN_MAX: i64 = 999_999_999_999;
/// Largest price, in pounds.
pub const PRICE_MAX: i64 = 1_000_000_000_000;
/// Years in which a milestone may lie.
pub const YEARS: std::ops::RangeInclusive<i16> = 1900..=2200;
