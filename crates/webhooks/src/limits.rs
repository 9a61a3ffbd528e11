//! Bounds of webhook management, with their units.

use std::time::Duration;

/// How long one call of replay takes at most.
pub(crate) const REPLAY_TIME_MAX: Duration = Duration::from_secs(20);
/// UPRNs that one call names for a watch (S-39).
pub(crate) const WATCH_UPRNS_PER_CALL: usize = 4_000;
/// UPRNs that one subscription watches (S-39).
pub(crate) const WATCH_UPRNS_MAX: i64 = 100_000;
/// UPRNs that one transaction adds to a watch or removes. A recording waits for this transaction on
/// SQLite, so it is short.
pub(crate) const WATCH_CHANGED_AT_ONCE: usize = 32;
/// Watched UPRNs that one read lists.
pub(crate) const WATCH_READ_AT_ONCE: i64 = 1_000;
/// Events that one replay delivers again.
pub(crate) const REPLAY_EVENTS_MAX: i64 = 100_000;
/// Events that one transaction of a replay reads.
pub(crate) const REPLAY_PART_EVENTS: i64 = 50;
/// Deliveries of one subscription that one transaction changes or removes. A recording waits for
/// this transaction on SQLite, so it is short.
pub const WAITING_CHANGED_MAX: i64 = 1_000;
