//! Bounds of the commands.

use std::time::Duration;

/// Bad rows that an import prints in full; all of them are counted.
pub(crate) const IMPORT_ERRORS_SHOWN_MAX: u64 = 1000;
/// Body of a delivery that `onward listen` reads, in bytes: an event's token has about 1,000.
pub(crate) const EVENT_BODY_BYTES_MAX: usize = 64 * 1024;
/// How long a delivery's body may take to arrive; the service gives an attempt 15 s in all.
pub(crate) const EVENT_BODY_READ_TIMEOUT: Duration = Duration::from_secs(15);
/// Event ids by which `onward listen` recognises duplicates.
pub(crate) const EVENTS_REMEMBERED_MAX: usize = 10_000;
/// How long a TLS handshake with `onward listen` may take.
pub(crate) const RECEIVER_HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a connection to it may stay open without a delivery.
pub(crate) const RECEIVER_IDLE_TIMEOUT: Duration = Duration::from_secs(75);
/// Connections that `onward listen` serves at once.
pub(crate) const RECEIVER_CONNECTIONS_MAX: usize = 64;
/// How long open deliveries may take after `onward listen` was told to stop: as long as the
/// service waits for their answer.
pub(crate) const RECEIVER_DRAIN_TIMEOUT: Duration = Duration::from_secs(15);
