//! What an integrator uses: tokens, queries, webhooks and the verification of what comes back.
//!
//! The crate knows nothing about the server or its storage. It reads no clock of its own: the
//! time is a [`Clock`] that the caller hands in.

pub mod connection;
pub mod error;
pub mod event;
pub mod forward;
pub mod key_set;
pub mod printable;
pub mod problem;
pub mod query;
pub mod receive;
pub mod sandbox;
pub mod token;
pub mod verify;
pub mod webhook;
pub mod wire;

#[cfg(test)]
mod stand_in;

use std::sync::Arc;
use std::time::SystemTime;

pub use connection::{Endpoints, Trust};
pub use error::ClientError;
pub use event::{Event, EventContent, EventType, VerifiedEvent, verify_event};
pub use forward::Forwarder;
pub use printable::printable;
pub use query::{ChainInput, ChainQuery, Client};
pub use receive::recent::RecentEvents;
pub use receive::{ReceiveError, Receiver};
pub use sandbox::SandboxFile;
pub use token::Credentials;
pub use verify::{VerifiedAnswer, verify_answer};
pub use webhook::WebhookClient;

/// Where the time comes from: a function that returns the current moment.
///
/// It dates client assertions and ages the cached token and key set. A program passes its system
/// clock; a test passes a clock that it moves.
pub type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;
