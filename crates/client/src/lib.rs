//! The integrator's library: access tokens, verified chain queries, subscriptions and received events.
//!
//! The crate knows nothing about the server or its store. It reads no clock: the caller passes a
//! [`Clock`].

pub mod connection;
mod error;
pub mod event;
mod evidence;
pub mod fault;
mod forward;
pub mod key_set;
pub mod listings;
mod printable;
pub mod problem;
mod query;
pub mod reach;
mod receive;
pub mod sandbox;
pub mod token;
mod verify;
pub mod webhook;
pub mod wire;

#[cfg(test)]
mod fake_server;

use std::sync::Arc;
use std::time::SystemTime;

pub use connection::{Endpoints, TlsIdentity, Trust};
pub use error::ClientError;
pub use event::{Event, EventContent, EventType, VerifiedEvent};
pub use forward::Forwarder;
pub use printable::printable;
pub use query::{ChainInput, ChainQuery, Client};
pub use receive::recent::RecentEvents;
pub use receive::{ReceiveError, Receiver};
pub use sandbox::SandboxFile;
pub use token::{ClientFiles, Credentials};
pub use verify::{VerifiedAnswer, VerifiedState, VerifiedVersion, verify_answer, verify_state};
pub use webhook::WebhookClient;

/// A function that returns the current time.
///
/// It dates client assertions, and decides when the cached token and key set are too old. A program
/// passes its system clock, and a test passes a clock that it moves.
pub type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;
