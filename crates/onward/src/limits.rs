//! Limits of the commands.

use std::time::Duration;

/// The most bad rows that an import prints; it counts all of them.
pub(crate) const IMPORT_ERRORS_SHOWN_MAX: usize = 1000;
/// The most characters of an operator's command that are noted.
pub(crate) const COMMAND_CHARACTERS_MAX: usize = 2000;
/// The longest delivery body that `onward listen` reads, in bytes; an event's token has about
/// 1,000.
pub(crate) const EVENT_BODY_BYTES_MAX: usize = 64 * 1024;
/// The longest time for a delivery's body to arrive; the service allows 15 s for an attempt.
pub(crate) const EVENT_BODY_READ_TIMEOUT: Duration = Duration::from_secs(15);
/// The number of event ids that `onward listen` keeps to recognise duplicates.
pub(crate) const EVENTS_REMEMBERED_MAX: usize = 10_000;
/// The longest TLS handshake with `onward listen`.
pub(crate) const RECEIVER_HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest time that a connection to `onward listen` may stay idle.
pub(crate) const RECEIVER_IDLE_TIMEOUT: Duration = Duration::from_secs(75);
/// The most connections that `onward listen` serves at once.
pub(crate) const RECEIVER_CONNECTIONS_MAX: usize = 64;
/// The longest lookup of a host by `onward preflight`.
pub(crate) const PREFLIGHT_LOOKUP_TIMEOUT: Duration = Duration::from_secs(10);
/// The most addresses of one host that `onward preflight` tries.
pub(crate) const PREFLIGHT_ADDRESSES_MAX: usize = 4;
/// The longest that `onward preflight` tries to connect to one address.
pub(crate) const PREFLIGHT_CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest TLS handshake in which `onward preflight` looks at a server.
pub(crate) const PREFLIGHT_HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest that `onward preflight` waits for the first attempt to deliver a test event. The service
/// allows 15 s for an attempt.
pub(crate) const PREFLIGHT_DELIVERY_TIMEOUT: Duration = Duration::from_secs(30);
/// The time between two looks of `onward preflight` at the log of deliveries.
pub(crate) const PREFLIGHT_DELIVERY_PAUSE: Duration = Duration::from_millis(200);
/// The longest drain of `onward listen`: the service waits as long for an answer.
pub(crate) const RECEIVER_DRAIN_TIMEOUT: Duration = Duration::from_secs(15);
/// The most connections that `onward witness` serves at once.
pub(crate) const WITNESS_CONNECTIONS_MAX: usize = 256;
/// The most connections of one address to `onward witness` with TLS. Without TLS a proxy is in front of it.
pub(crate) const WITNESS_CONNECTIONS_PER_ADDRESS_MAX: usize = 16;
/// The longest time for a handshake, a header or a body of a call to `onward witness`, and the longest that a
/// caller may read nothing of the answer.
pub(crate) const WITNESS_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest time that a connection to `onward witness` may stay idle.
pub(crate) const WITNESS_IDLE_TIMEOUT: Duration = Duration::from_secs(75);
/// How often `onward witness` reads its certificate again.
pub(crate) const WITNESS_CERTIFICATE_INTERVAL: Duration = Duration::from_mins(1);
