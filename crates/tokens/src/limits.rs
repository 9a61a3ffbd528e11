//! Bounds of clients, keys and access tokens.

use std::time::Duration;

/// Registered clients kept parsed in memory.
pub const CLIENTS_CACHED_MAX: usize = 20_000;
/// Verified access tokens kept in memory, each with its text of about 1 KiB.
pub const TOKENS_CACHED_MAX: usize = 20_000;
/// Callers whose requests are counted at once (S-14). Past this number the least seen caller is
/// forgotten and starts with a full bucket.
pub const RATE_LIMITED_CALLERS_MAX: usize = 100_000;
/// How long the last announcement of a node counts, in seconds. A node announces itself every 10 s.
pub const ANNOUNCED_SECONDS: i64 = 60;
/// How long a revoked token is remembered after its expiry, in seconds, because the clock of
/// another node may be behind.
pub const REVOKED_KEPT_SECONDS: i64 = 60;
/// The longest lifetime of a token, in seconds.
pub const TOKEN_LIFETIME_SECONDS_MAX: i64 = 3600;
/// How long a key set from a client's `jwks_uri` is used before it is fetched again, in seconds.
pub const CLIENT_KEYS_FRESH_SECONDS: i64 = 300;
/// How long such a key set is used while fetching fails, in seconds.
pub const CLIENT_KEYS_STALE_SECONDS: i64 = 3600;
/// The shortest pause between two fetches of a key set, in seconds.
pub const CLIENT_KEYS_PAUSE_SECONDS: i64 = 30;
/// Bytes of a client's key set, registered or fetched.
pub const CLIENT_KEYS_BYTES_MAX: usize = 64 * 1024;
/// How long a command may take to print the key-encryption key.
pub const KEY_COMMAND_TIMEOUT: Duration = Duration::from_secs(30);
/// How often the end of such a command is looked for.
pub const KEY_COMMAND_PAUSE: Duration = Duration::from_millis(5);
/// Bytes that are read from such a command.
pub const KEY_COMMAND_OUTPUT_MAX: u64 = 4096;
/// How long readers may cache the key set, metadata or the directory, in seconds.
pub const PUBLISHED_MAX_AGE_SECONDS: i64 = 300;
/// How long a next key must have existed before it signs, in seconds (S-28): until every cached key
/// set has it. The extra minute covers answers under way, ages in whole seconds and clocks that
/// differ.
pub const KEY_PUBLISHED_SECONDS_MIN: i64 = PUBLISHED_MAX_AGE_SECONDS + 60;
/// Bytes of an introspection answer of the framework (S-69).
pub const FRAMEWORK_ANSWER_BYTES_MAX: usize = 64 * 1024;
/// How long an introspection at the framework may take (S-69).
pub const FRAMEWORK_ANSWER_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a request whose token could not be introspected should wait, in seconds.
pub const FRAMEWORK_RETRY_SECONDS: u64 = 5;
/// Certificates of the framework's participants that are known as verified.
pub const FRAMEWORK_CERTIFICATES_MAX: usize = 10_000;
/// How long such a certificate is known as verified, in seconds.
pub const FRAMEWORK_CERTIFICATE_SECONDS: i64 = 60;
/// From this age on, in seconds, an adopted answer of the directory lets no token in (S-73).
pub const FRAMEWORK_DIRECTORY_SECONDS_MAX: i64 = 24 * 3600;
/// How long reading the framework's directory may take.
pub const FRAMEWORK_DIRECTORY_TIMEOUT: Duration = Duration::from_secs(20);
/// The pause between two readings of the directory, in seconds (S-73).
pub const FRAMEWORK_DIRECTORY_PAUSE_SECONDS: i64 = 300;
/// The pause after a reading that failed, in seconds.
pub const FRAMEWORK_DIRECTORY_RETRY_SECONDS: i64 = 30;
