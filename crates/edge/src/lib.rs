//! The edge: accepting connections, TLS, bounds of time and number, draining.
//!
//! This crate knows nothing about the store, routes or chains. It hands each request to a router,
//! with its [`peer::Peer`] among the request's extensions.

pub mod connection;
pub mod drain;
mod failed_accepts;
mod failed_handshakes;
pub mod limits;
pub mod metrics;
pub mod peer;
pub mod tls;

use std::sync::Arc;
use std::time::Duration;

use observe::clock::Clock;

use self::drain::Drain;
pub use self::failed_accepts::{FailedAccepts, SpareFiles};
pub use self::failed_handshakes::FailedHandshakes;
use self::metrics::Metrics;
use self::tls::TlsPaths;

/// The parts that all connections share.
#[derive(Debug)]
pub struct Edge {
    /// Time, for certificates.
    pub clock: Clock,
    /// Counters of connections.
    pub metrics: Arc<Metrics>,
    /// Logs the handshakes that failed.
    pub failed_handshakes: FailedHandshakes,
    /// Logs connections that could not be accepted.
    pub failed_accepts: FailedAccepts,
    /// Files kept free for the operator's listener.
    pub spare_files: SpareFiles,
    /// How far this node is on its way to stop.
    pub drain: Arc<Drain>,
    /// Bounds and files.
    pub settings: EdgeSettings,
}

/// Bounds of connections, and the files of TLS.
#[derive(Debug, Clone)]
pub struct EdgeSettings {
    /// How long a peer may take for its TLS handshake.
    pub handshake_timeout: Duration,
    /// How long a peer may take for a request's header, from its first byte on.
    pub header_timeout: Duration,
    /// How long a connection may stay open without a request.
    pub idle_timeout: Duration,
    /// How long a peer may take for a request's body.
    pub body_timeout: Duration,
    /// How long a peer may read nothing of its answer.
    pub answer_timeout: Duration,
    /// How often the TLS files are checked for changes; zero: never.
    pub certificate_check_interval: Duration,
    /// The TLS files.
    pub tls: TlsPaths,
    /// The hosts for which the server's certificate must be, each with the setting that names it.
    pub hosts: Vec<(&'static str, String)>,
}
