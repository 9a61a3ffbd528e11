//! Bounds of calls to addresses that others chose.

use std::time::Duration;

/// Characters of a callback URL (S-31).
pub const CALLBACK_URL_CHARACTERS_MAX: usize = 2000;
/// How long lookup, connecting and TLS handshake may take together (S-35).
pub const CALLBACK_CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the lookup of a name may take. It is shorter than the connect timeout, so that the
/// error names the lookup.
pub const CALLBACK_RESOLVE_TIMEOUT: Duration = Duration::from_secs(4);
/// How long an attempt may take, with the answer's body (S-35).
pub const CALLBACK_ATTEMPT_TIMEOUT: Duration = Duration::from_secs(15);
/// Bytes that are read of the body of a subscriber's answer (S-35).
pub const CALLBACK_ANSWER_BYTES_MAX: usize = 16 * 1024;
/// Bytes of a callback's answer that the delivery log keeps.
pub const CALLBACK_ANSWER_KEPT_BYTES: usize = 1024;
/// The longest `Retry-After` that is honoured (S-35).
pub const RETRY_AFTER_MAX: Duration = Duration::from_hours(1);
/// Connections kept open to one subscriber's host while nothing is sent.
pub const CALLBACK_IDLE_CONNECTIONS_MAX: usize = 8;
/// How long an unused connection is kept open.
pub const CALLBACK_IDLE_TIMEOUT: Duration = Duration::from_mins(1);
/// Quick names that are looked up at once. The last lookup of a quick name was quick.
pub const QUICK_LOOKUPS_MAX: usize = 192;
/// Other names that are looked up at once.
pub const OTHER_LOOKUPS_MAX: usize = 64;
/// Quick names that the resolver remembers.
pub const QUICK_NAMES_MAX: usize = 100_000;
/// Names that are looked up at once for new subscriptions of one API key.
pub const LOOKUPS_OF_SUBSCRIBER_MAX: usize = 4;
/// How long fetching a client's key set may take.
pub const CLIENT_KEYS_TIMEOUT: Duration = Duration::from_secs(5);
