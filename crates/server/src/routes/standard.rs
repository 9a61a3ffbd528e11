//! Document 1's calls.

pub(crate) mod addresses;
pub(crate) mod chains;

use std::sync::Arc;

use observe::clock::Clock;
use storage::Storage;
use tokens::context::TokenContext;

use crate::answer::Answers;

/// The parts that the chain query uses.
#[derive(Debug)]
pub(crate) struct ChainQueries {
    /// Time.
    pub clock: Clock,
    /// The store.
    pub storage: Storage,
    /// Proves callers and counts their requests.
    pub tokens: Arc<TokenContext>,
    /// Chain documents and their signatures.
    pub answers: Answers,
}
