//! Bounds of connections.

use std::time::Duration;

/// Bytes within which a request's header must be complete (HTTP/1.1).
pub const HTTP1_BUFFER_BYTES_MAX: usize = 64 * 1024;
/// Bytes of a request's header, as HTTP/2 counts them (RFC 9113 section 6.5.2).
pub const HTTP2_HEADER_BYTES_MAX: u32 = 32 * 1024;
/// How often an idle connection is probed (HTTP/2).
pub const HTTP2_PROBE_INTERVAL: Duration = Duration::from_secs(30);
/// How long the answer to a probe may take (HTTP/2).
pub const HTTP2_PROBE_TIMEOUT: Duration = Duration::from_secs(20);
/// The pause after a connection could not be accepted: file descriptors may become free meanwhile.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How long connections that could not be accepted are summed up for one line of the log.
pub const ACCEPTS_SUMMED: Duration = Duration::from_secs(1);
/// The log keeps a sum of such connections for each of so many reasons.
pub const ACCEPT_REASONS_MAX: usize = 10;
/// Files that are kept open for `listen_ops`, so that it answers when the process may open no others.
pub const SPARE_FILES: usize = 8;
/// Bytes of a body that are read although the request is refused: the longest body of any call
/// (S-54).
pub const UNREAD_BYTES_MAX: u64 = 256 * 1024;
/// The same for HTTP/2. Some clients lose the answer if their stream is reset while they send, and a
/// reset stream costs the others of its connection more than its bytes do.
pub const UNREAD_BYTES_OF_STREAM_MAX: u64 = 4 * 1024 * 1024;
/// Bytes of the bodies under way that a node holds for callers from one address who have not proved who they
/// are.
pub const UNPROVEN_BODY_BYTES_OF_ADDRESS_MAX: u64 = 4 * 1024 * 1024;
/// The same for all such callers together.
pub const UNPROVEN_BODY_BYTES_OF_NODE_MAX: u64 = 64 * 1024 * 1024;
/// How long a closing connection still takes bytes that nobody reads.
pub const LINGER_TIMEOUT: Duration = Duration::from_secs(2);
/// How often the log warns of new expiries of certificates and revocation lists.
pub const ENDINGS_INTERVAL: Duration = Duration::from_mins(1);
/// How long failed TLS handshakes are summed up for one line of the log.
pub const HANDSHAKES_SUMMED: Duration = Duration::from_secs(10);
/// The log keeps a sum of failed handshakes for each of so many reasons.
pub const HANDSHAKE_REASONS_MAX: usize = 50;
/// Bytes of a short answer. HTTP/1 takes it from the router in one piece, so that nobody can count its
/// bytes while they are sent. The rate limit bounds short answers.
pub const SHORT_ANSWER_BYTES: u64 = 16 * 1024;
/// How fast a peer must read a whole answer at least, after the time in which it may read nothing.
pub const ANSWER_BYTES_PER_SECOND_MIN: u64 = 16 * 1024;

/// How long a peer may take for so many bytes of an answer.
pub fn time_for(bytes: u64) -> Duration {
    Duration::from_millis(bytes.saturating_mul(1000) / ANSWER_BYTES_PER_SECOND_MIN)
}

/// Streams of one HTTP/2 connection.
pub const HTTP2_STREAMS_MAX: u32 = 128;
/// How long a peer may take to close a connection after GOAWAY (HTTP/2), once no stream is open:
/// some round trips.
pub const GOAWAY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long open requests may take after the program began to stop.
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(20);
/// Connections to `listen_ops`. Its own bound lets it answer when all other listeners are full.
pub const OPS_CONNECTIONS_MAX: usize = 64;
