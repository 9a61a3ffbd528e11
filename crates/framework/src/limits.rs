//! Bounds of what the framework and its clients may cost.

/// The longest text that the issuer is asked about, in bytes (S-68).
pub const TOKEN_BYTES_MAX: usize = 4 * 1024;
/// How far ahead the end of a token may be, in seconds (S-69).
pub const EXPIRY_AHEAD_SECONDS_MAX: i64 = 3660;
/// Characters of a client id.
pub const CLIENT_ID_CHARACTERS_MAX: usize = 256;
/// How long a token stays known as inactive, in seconds (S-69).
pub const INACTIVE_SECONDS: i64 = 10;
/// How long nobody asks again about a known token while the issuer is away, in seconds.
pub const AWAY_PAUSE_SECONDS: i64 = 5;
/// Tokens that are known as active at once, and as many that are known as inactive.
pub const TOKENS_KNOWN_MAX: usize = 10_000;
/// Unknown tokens of one organisation that the issuer is asked about in a second (S-69).
pub const UNKNOWN_PER_SECOND_MAX: usize = 10;
/// Calls of one organisation at once (S-69).
pub const CALLS_OF_ORGANISATION_MAX: usize = 4;
/// Calls of all organisations at once (S-69).
pub const CALLS_MAX: usize = 32;
/// Organisations in an answer of the directory (S-73).
pub const ORGANISATIONS_MAX: usize = 20_000;
/// Bytes of an answer of the directory (S-73).
pub const DIRECTORY_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Characters of an organisation's name that are kept.
pub const ORGANISATION_NAME_CHARACTERS_MAX: usize = 200;
/// Up to so many known organisations may be missing from an answer.
pub const MISSING_ALWAYS_ALLOWED: usize = 5;
/// Beyond that, up to one of so many known organisations may be missing.
pub const MISSING_ONE_OF: usize = 20;
