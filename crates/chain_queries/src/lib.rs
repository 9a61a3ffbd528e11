//! Document 1: the chain query and the address look-up, the signed answers to them, and their evidence.

pub mod access_log;
pub mod answer;
mod answered_times;
pub mod limits;
pub mod metrics;
mod openapi;
pub mod past;
pub mod routes;
pub mod sealer;
pub mod sealing;
pub mod signed_chain;
pub mod turns;
pub mod wire;

use std::sync::Arc;

use observe::clock::Clock;
use state_log::StateLog;
use storage::Storage;
use tokens::context::TokenContext;

use crate::access_log::AccessLog;
use crate::answer::Answers;
use crate::turns::QueryTurns;

/// The context of the chain query and the address look-up.
#[derive(Debug)]
pub struct ChainQueries {
    /// The clock that dates signatures.
    pub clock: Clock,
    /// The store that queries read.
    pub storage: Storage,
    /// Authenticates callers and counts their requests.
    pub tokens: Arc<TokenContext>,
    /// Builds, signs and caches answers.
    pub answers: Answers,
    /// Keeps which client was shown which property.
    pub accesses: Arc<AccessLog>,
    /// The log that proves answers.
    pub state_log: Arc<StateLog>,
    /// Bounds expensive calls that are under way.
    pub turns: QueryTurns,
}
