//! Every bound of the program, with its unit. Settings can lower or raise some.

use std::time::Duration;

/// Body of a form request, in bytes (S-54).
pub const FORM_BODY_BYTES_MAX: usize = 256 * 1024;
/// Body of a token request, in bytes: an assertion of 16 KiB fits with room.
pub const TOKEN_BODY_BYTES_MAX: usize = 64 * 1024;
/// Fields of one form.
pub const FORM_FIELDS_MAX: usize = 512;
/// `value[]` entries of one query (S-3).
pub const VALUES_MAX: usize = 100;
/// Characters of one `value[]` entry after trimming (S-3).
pub const VALUE_CHARACTERS_MAX: usize = 200;
/// Chains on a page (document 1).
pub const ROWS_MAX: u64 = 100;
/// Chains on a page when none is asked for (document 1).
pub const ROWS_DEFAULT: u64 = 15;
/// Highest page: the largest integer that canonical JSON carries exactly
/// (RFC 8785 section 3.1), because the answer repeats it.
pub const PAGE_MAX: u64 = 9_007_199_254_740_991;
/// How long a peer may take to send a whole request body.
pub const BODY_READ_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a peer may take for its TLS handshake.
pub const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a peer may take to send a request's header, and stay idle before it.
pub const HEADER_READ_TIMEOUT: Duration = Duration::from_secs(75);
/// Bytes of one request's header.
pub const HEADER_BYTES_MAX: usize = 32 * 1024;
/// Streams of one HTTP/2 connection.
pub const HTTP2_STREAMS_MAX: u32 = 128;
/// How long open requests may take after the program was told to stop.
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(20);
/// Characters of `x-fapi-interaction-id` that are echoed.
pub const INTERACTION_ID_CHARACTERS_MAX: usize = 128;
/// Registered clients kept parsed in memory.
pub const CLIENTS_CACHED_MAX: usize = 20_000;
/// Verified access tokens kept in memory.
pub const TOKENS_CACHED_MAX: usize = 50_000;
/// Signatures kept for reuse.
pub const SIGNATURES_CACHED_MAX: usize = 100_000;
/// How long a signature may be reused at most (S-13), in seconds.
pub const SIGNATURE_REUSE_SECONDS_MAX: i64 = 300;
/// How long a token may live at most, in seconds.
pub const TOKEN_LIFETIME_SECONDS_MAX: i64 = 3600;
/// Rows that one transaction of an import carries.
pub const IMPORT_BATCH_ROWS: usize = 2000;
/// Bad rows that an import prints in full; all of them are counted.
pub const IMPORT_ERRORS_SHOWN_MAX: u64 = 1000;
