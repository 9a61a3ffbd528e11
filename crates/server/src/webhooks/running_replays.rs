//! The replays that run on this node, at most one for each API key.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The API keys with a running replay. Two replays of one key would read the same events.
#[derive(Debug, Default)]
pub struct RunningReplays(Mutex<HashSet<i64>>);

/// One running replay. Dropping it lets the API key start another.
#[derive(Debug)]
pub struct RunningReplay<'a> {
    replays: &'a RunningReplays,
    api_key: i64,
}

impl RunningReplays {
    /// Starts a replay, unless one of this API key runs.
    pub fn start(&self, api_key: i64) -> Option<RunningReplay<'_>> {
        let is_first = self.lock().insert(api_key);
        is_first.then(|| RunningReplay {
            replays: self,
            api_key,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RunningReplay<'_> {
    fn drop(&mut self) {
        self.replays.lock().remove(&self.api_key);
    }
}

#[cfg(test)]
mod tests {
    use super::RunningReplays;

    #[test]
    fn each_key_has_one_replay_at_a_time() {
        let replays = RunningReplays::default();
        let first = replays.start(1);
        assert!(first.is_some());
        assert!(replays.start(1).is_none());
        assert!(replays.start(2).is_some());
        drop(first);
        assert!(replays.start(1).is_some());
    }
}
