//! What is known of a run that is over.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use serde_json::Value;

use super::ledger::Ledger;
use super::recording::Recorded;
use super::requests::Subscribed;

/// Everything that the account is made from.
pub(super) struct Past {
    pub(super) ledger: Ledger,
    pub(super) subscriptions: Vec<String>,
    pub(super) received: Vec<Subscribed>,
    pub(super) recorded: Vec<Recorded>,
    /// Processes that were killed.
    pub(super) killed: BTreeSet<usize>,
    /// Subscription and event of deliveries that were done, and since when at the latest.
    pub(super) delivered: HashMap<(String, String), usize>,
    /// What self-service showed of each subscription in the end.
    pub(super) shown: Vec<Shown>,
    pub(super) log_errors: Vec<String>,
    pub(super) log_warnings: BTreeMap<String, usize>,
    pub(super) unknown: usize,
}

/// A subscription as its owner saw it.
pub(super) struct Shown {
    /// `active`, or `disabled` with its reason.
    pub(super) status: String,
    pub(super) deliveries: Vec<Value>,
}

impl Past {
    /// The events that a subscriber received with success, each with how often.
    pub(super) fn acceptances(&self, subscriber: usize) -> HashMap<&str, Vec<&Subscribed>> {
        let mut all: HashMap<&str, Vec<&Subscribed>> = HashMap::new();
        for request in &self.received {
            if request.subscriber == subscriber && request.accepted.is_some() {
                all.entry(&request.event_id).or_default().push(request);
            }
        }
        all
    }

    /// What was done, in one line.
    pub(super) fn summary(&self) -> String {
        let mut distinct = HashSet::new();
        let repeated = self.recorded.iter().filter(|one| !distinct.insert(*one));
        assert_eq!(repeated.count(), 0, "the test itself recorded twice");
        let mut text = format!(
            "{} events, {} kills, {} requests to receivers, {} recordings with a lost answer",
            self.ledger.events.len(),
            self.killed.len(),
            self.received.len(),
            self.unknown,
        );
        for (warning, times) in &self.log_warnings {
            write!(text, "\n  {times} times in the logs: {warning}\n").unwrap();
        }
        text
    }
}
