//! Bounds of requests and lists, with their units.

use std::time::Duration;

/// Body of a form request, in bytes (S-54).
pub const FORM_BODY_BYTES_MAX: usize = 256 * 1024;
/// Fields of one form.
pub const FORM_FIELDS_MAX: usize = 512;
/// Largest integer in a JSON body or path that every JSON reader reads exactly.
pub const INTEGER_MAX: i64 = 9_007_199_254_740_991;
/// JSON body of a write, in bytes (S-54).
pub const JSON_BODY_BYTES_MAX: usize = 64 * 1024;
/// Highest page of a list.
pub(crate) const LIST_PAGE_MAX: i64 = 1_000_000_000;
/// Characters of an unknown name that the answer shows.
pub(crate) const NAME_CHARACTERS_SHOWN: usize = 64;
/// Entries on a page of a list by default.
pub(crate) const PER_PAGE_DEFAULT: i64 = 15;
/// Entries on a page of a list.
pub(crate) const PER_PAGE_MAX: i64 = 100;
/// Unknown or repeated members, fields or parameters that one answer names.
pub const UNKNOWN_NAMES_SHOWN: usize = 10;
/// The seconds of a day.
pub const DAY_SECONDS: i64 = 86_400;
/// The log keeps a sum of failed calls for each of so many reasons.
pub const SUMMED_FAILURES_MAX: usize = 100;
/// How long the log sums up refused and failed calls.
pub const SUMMED_TIME: Duration = Duration::from_secs(1);
