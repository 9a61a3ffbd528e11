//! The long calls that run on this node, at most one of each kind for each participant.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The participants with a running call of one kind.
#[derive(Debug, Default)]
pub struct Running(Mutex<HashSet<String>>);

/// One running call. Dropping it lets the participant start another.
#[derive(Debug)]
pub struct RunningCall<'a> {
    running: &'a Running,
    participant: String,
}

impl Running {
    /// Starts a call, unless one of this participant runs.
    pub fn start(&self, participant: &str) -> Option<RunningCall<'_>> {
        let participant = participant.to_owned();
        let is_first = self.lock().insert(participant.clone());
        is_first.then_some(RunningCall {
            running: self,
            participant,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        self.running.lock().remove(&self.participant);
    }
}

#[cfg(test)]
mod tests {
    use super::Running;

    #[test]
    fn each_participant_has_one_call_at_a_time() {
        let running = Running::default();
        let first = running.start("Lender");
        assert!(first.is_some());
        assert!(running.start("Lender").is_none());
        assert!(running.start("Other").is_some());
        drop(first);
        assert!(running.start("Lender").is_some());
    }
}
