//! Bounds of connections.

use std::time::Duration;

/// Bytes that are read of a connection before a request's header must be complete (HTTP/1.1).
pub const HTTP1_BUFFER_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a request's header, as HTTP/2 counts them (RFC 9113 section 6.5.2).
pub const HTTP2_HEADER_BYTES_MAX: u32 = 32 * 1024;
/// How often a connection without requests is probed (HTTP/2), and how long a probe may take.
pub const HTTP2_PROBE_INTERVAL: Duration = Duration::from_secs(30);
/// The latter.
pub const HTTP2_PROBE_TIMEOUT: Duration = Duration::from_secs(20);
/// How long no connection is accepted after one could not be: files may be closed meanwhile.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Streams of one HTTP/2 connection.
pub const HTTP2_STREAMS_MAX: u32 = 128;
/// How long a peer may take to close a connection that it was told ends (HTTP/2), once nothing is
/// open on it: some round trips.
pub const GOAWAY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long open requests may take after the program was told to stop.
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(20);
/// Connections to `listen_ops`, which has bounds of its own: it answers when all else is full.
pub const OPS_CONNECTIONS_MAX: usize = 64;
