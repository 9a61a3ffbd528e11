//! Bounds of clients, keys and access tokens.

/// Registered clients kept parsed in memory.
pub const CLIENTS_CACHED_MAX: usize = 20_000;
/// Verified access tokens kept in memory.
pub const TOKENS_CACHED_MAX: usize = 50_000;
/// Callers whose requests are counted at once (S-14). Beyond, the one that was seen least is
/// forgotten and begins anew.
pub const RATE_LIMITED_CALLERS_MAX: usize = 100_000;
/// How long a revoked token is remembered after its end, in seconds: a node whose clock is behind
/// takes it for longer.
pub const REVOKED_KEPT_SECONDS: i64 = 60;
/// How long a token may live at most, in seconds.
pub const TOKEN_LIFETIME_SECONDS_MAX: i64 = 3600;
/// How long a key set from a client's `jwks_uri` is used without asking again, in seconds.
pub const CLIENT_KEYS_FRESH_SECONDS: i64 = 300;
/// How long it is used while it cannot be fetched again, in seconds.
pub const CLIENT_KEYS_STALE_SECONDS: i64 = 3600;
/// How often it is fetched at most, in seconds between two attempts.
pub const CLIENT_KEYS_PAUSE_SECONDS: i64 = 30;
/// Bytes of a client's key set, registered or fetched.
pub const CLIENT_KEYS_BYTES_MAX: usize = 64 * 1024;
/// How long whoever reads the key set, metadata or the directory may keep it, in seconds.
pub const PUBLISHED_MAX_AGE_SECONDS: i64 = 300;
/// How long a next key must have existed before it signs, in seconds (S-28): the above, and a
/// minute for what lies between, namely making the key, answers under way, ages in whole seconds,
/// and clocks that differ.
pub const KEY_PUBLISHED_SECONDS_MIN: i64 = PUBLISHED_MAX_AGE_SECONDS + 60;
