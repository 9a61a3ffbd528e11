//! Lets each caller do a few expensive things at once. Further ones wait for their turn.

use std::convert::Infallible;
use std::hash::Hash;
use std::sync::Arc;

use quick_cache::sync::Cache;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The turns of all callers of this node.
#[derive(Debug)]
pub struct Turns<Caller> {
    at_once: usize,
    callers: Cache<Caller, Arc<Semaphore>>,
}

/// The turn of a caller, until it is dropped.
#[derive(Debug)]
pub struct Turn {
    _permit: Option<OwnedSemaphorePermit>,
}

impl<Caller: Eq + Hash + Clone> Turns<Caller> {
    /// So many turns of each caller at once, for the callers seen most.
    pub fn new(at_once: usize, callers_max: usize) -> Self {
        Self {
            at_once,
            callers: Cache::new(callers_max),
        }
    }

    /// Waits for a turn of this caller.
    pub async fn take(&self, caller: &Caller) -> Turn {
        let permit = self.of(caller).acquire_owned().await;
        Turn {
            _permit: permit.ok(),
        }
    }

    fn of(&self, caller: &Caller) -> Arc<Semaphore> {
        let fresh = || Ok::<_, Infallible>(Arc::new(Semaphore::new(self.at_once)));
        match self.callers.get_or_insert_with(caller, fresh) {
            Ok(turns) => turns,
            Err(never) => match never {},
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_caller_has_so_many_turns_and_others_have_theirs() {
        let turns = Turns::new(2, 100);
        let first = turns.take(&1).await;
        let second = turns.take(&1).await;
        let third = tokio::select! {
            biased;
            third = turns.take(&1) => Some(third),
            other = turns.take(&2) => {
                drop(other);
                None
            }
        };
        assert!(third.is_none());
        drop(first);
        turns.take(&1).await;
        drop(second);
    }
}
