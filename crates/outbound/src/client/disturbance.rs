//! Attempts that go wrong on purpose. Only a sandbox disturbs its own.

use std::fmt::Debug;
use std::time::Duration;

use super::{HttpOutcome, SendError};

/// Decides what goes wrong with each attempt to deliver an event.
pub trait Disturbance: Debug + Send + Sync {
    /// The disturbance of an attempt with this number, counted from 1.
    fn draw_attempt(&self, number: u32) -> Disturbed;
}

/// What goes wrong with one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disturbed {
    /// How late it is sent.
    pub delay: Duration,
    /// Whether the subscriber's answer is lost, so that the same event is sent again.
    pub loses_answer: bool,
}

impl Disturbed {
    /// The outcome of the attempt, as far as it arrives.
    pub(super) fn of(self, outcome: HttpOutcome) -> HttpOutcome {
        if !self.loses_answer {
            return outcome;
        }
        HttpOutcome {
            status: None,
            retry_after: None,
            error: Some(SendError::ClosedEarly),
            answer: None,
            detail: Some("the sandbox lost the answer on purpose".to_owned()),
            duration: outcome.duration,
        }
    }
}
