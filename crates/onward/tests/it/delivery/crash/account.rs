//! The account of a run: where each event is for each subscriber, and what must not have happened.

use std::collections::{BTreeMap, HashMap};

use chain::event::EventType;
use delivery::policy::PAUSES;
use server::config::Config;
use storage::events::StoredEvent;

use super::FUSSY_UPRN;
use super::ledger::{Standing, StoredDelivery, Tried};
use super::past::Past;
use super::receivers::{Manner, SUBSCRIBERS};

/// An event of the same seconds in which a subscription ends may or may not be delivered to it.
const ENDING_SECONDS: i64 = 5;

/// What is wrong, and how much there is of everything.
pub(super) struct Account<'a> {
    past: &'a Past,
    pub(super) wrong: Vec<String>,
    delivered: usize,
    waiting: usize,
    failed: usize,
    /// Deliveries that wait for a subscription that has ended.
    kept: usize,
    repeats: usize,
    /// Most events that one killed process sent to one subscriber in vain.
    repeats_max: usize,
}

impl<'a> Account<'a> {
    pub(super) fn new(past: &'a Past) -> Self {
        Self {
            past,
            wrong: Vec::new(),
            delivered: 0,
            waiting: 0,
            failed: 0,
            kept: 0,
            repeats: 0,
            repeats_max: 0,
        }
    }

    pub(super) fn check_everything(&mut self) {
        self.wrong.extend(self.past.log_errors.iter().cloned());
        self.check_recorded();
        for number in 0..SUBSCRIBERS.len() {
            self.check_owed(number);
            self.check_shown(number);
            self.check_order(number);
            self.check_repeats(number);
        }
        self.check_done();
        for (what, count) in [
            ("delivered", self.delivered),
            ("waiting", self.waiting),
            ("failed", self.failed),
            ("kept for an ended subscription", self.kept),
        ] {
            if count == 0 {
                self.wrong
                    .push(format!("nothing is {what}: this run shows too little"));
            }
        }
    }

    pub(super) fn summary(&self) -> String {
        format!(
            "deliveries: {} delivered, {} waiting, {} failed, {} kept for an ended subscription; \
             duplicates: {}, at most {} of one killed process to one subscriber",
            self.delivered, self.waiting, self.failed, self.kept, self.repeats, self.repeats_max
        )
    }

    /// Each acknowledged recording made exactly one event, and nothing else made any (S-34).
    fn check_recorded(&mut self) {
        let mut counts: BTreeMap<(i64, String, String), i64> = BTreeMap::new();
        for (listing, label, date) in &self.past.recorded {
            let key = (*listing, (*label).to_owned(), date.clone());
            *counts.entry(key).or_default() += 1;
        }
        for event in &self.past.ledger.events {
            let label = event.label.clone().unwrap_or_default();
            let key = (event.listing.0, label, event.date.to_string());
            *counts.entry(key).or_default() -= 1;
        }
        for (key, count) in counts {
            if count != 0 {
                let what = if count > 0 {
                    "no event"
                } else {
                    "an event too many"
                };
                self.wrong.push(format!("{what} for the recording {key:?}"));
            }
        }
    }

    /// Each event of a subscription is delivered, waits or has ended, once.
    fn check_owed(&mut self, number: usize) {
        let past = self.past;
        let (manner, _events) = SUBSCRIBERS[number];
        let reference = &past.subscriptions[number];
        let standing = &past.ledger.subscriptions[reference];
        let mut left: HashMap<i64, Vec<&StoredDelivery>> = HashMap::new();
        for one in &past.ledger.deliveries {
            if one.subscription == *reference {
                left.entry(one.event_row).or_default().push(one);
            }
        }
        let acceptances = past.acceptances(number);
        let mut nobody_subscribed = 0;
        for event in heard_by(past, number) {
            let found = left.remove(&event.id).unwrap_or_default();
            let at = format!("{manner:?} {number}, {}", event.event_id);
            match found[..] {
                [one] => {
                    let is_accepted = acceptances.contains_key(event.event_id.as_str());
                    self.check_one(&at, one, (standing, is_accepted));
                    let is_refused = manner == Manner::Fussy && event.uprn.value() == FUSSY_UPRN;
                    let has_all = manner.is_healthy() || manner == Manner::Fussy;
                    if has_all && !is_refused && one.state != "delivered" {
                        self.wrong.push(format!("{at} is {}", one.state));
                    }
                    if is_after_end(event, standing, ENDING_SECONDS) {
                        self.wrong.push(format!("{at} was stored after the end"));
                    }
                }
                [] if is_after_end(event, standing, -ENDING_SECONDS) => nobody_subscribed += 1,
                [] => self.wrong.push(format!("{at} is nowhere")),
                _ => self
                    .wrong
                    .push(format!("{at} is stored {} times", found.len())),
            }
        }
        if !left.is_empty() {
            self.wrong.push(format!(
                "{manner:?} {number} has deliveries of other types of event: {left:?}"
            ));
        }
        if manner == Manner::Gone && nobody_subscribed == 0 {
            self.wrong
                .push("nobody was gone: this run shows too little".to_owned());
        }
    }

    fn check_one(
        &mut self,
        at: &str,
        one: &StoredDelivery,
        (standing, is_accepted): (&Standing, bool),
    ) {
        let none = Vec::new();
        let tried = self.past.ledger.attempts.get(&one.id).unwrap_or(&none);
        let numbers: Vec<i64> = tried.iter().map(|one| one.number).collect();
        if numbers != (1..=one.attempts).collect::<Vec<_>>() {
            let attempts = one.attempts;
            self.wrong
                .push(format!("{at}: {attempts} attempts, noted {numbers:?}"));
        }
        let is_success = |status: i64| (200..300).contains(&status);
        let is_good = |one: &Tried| one.error.is_none() && one.status.is_some_and(is_success);
        let ended_well = tried.last().is_some_and(is_good);
        let is_right = match one.state.as_str() {
            "delivered" => ended_well && is_accepted,
            "failed" => !tried.iter().any(is_good) && tried.len() == PAUSES.len() + 1,
            "waiting" => !tried.iter().any(is_good),
            _ => false,
        };
        if !is_right {
            let state = &one.state;
            self.wrong.push(format!(
                "{at} is {state}, accepted: {is_accepted}, attempts: {tried:?}"
            ));
        }
        match one.state.as_str() {
            "delivered" => self.delivered += 1,
            "failed" => self.failed += 1,
            _ if standing.status == "active" => self.waiting += 1,
            _ => self.kept += 1,
        }
    }

    /// The owner is shown the same (S-37). What waited then may have been tried since.
    fn check_shown(&mut self, number: usize) {
        let past = self.past;
        let reference = &past.subscriptions[number];
        let shown = &past.shown[number];
        let stored = &past.ledger.subscriptions[reference].status;
        if shown.status != *stored && shown.status != "active" {
            self.wrong
                .push(format!("{number} was {}, is {stored}", shown.status));
        }
        let mut left: HashMap<String, &StoredDelivery> = HashMap::new();
        for one in &past.ledger.deliveries {
            if one.subscription == *reference {
                left.insert(one.id.to_string(), one);
            }
        }
        for one in &shown.deliveries {
            let id = one["deliveryId"].as_str().unwrap();
            let status = one["status"].as_str().unwrap();
            let stored = left.remove(id);
            if stored.is_none_or(|stored| stored.state != status && status != "waiting") {
                self.wrong
                    .push(format!("{number}, shown {one}, stored {stored:?}"));
            }
        }
        if !left.is_empty() {
            self.wrong.push(format!("{number}: not shown: {left:?}"));
        }
    }

    /// Of each property nothing new is sent before all that came earlier was accepted or given up
    /// (S-36); no kill excuses that.
    fn check_order(&mut self, number: usize) {
        let past = self.past;
        let reference = &past.subscriptions[number];
        let mut accepted: HashMap<&str, usize> = HashMap::new();
        for request in past.received.iter().filter(|one| one.subscriber == number) {
            if let Some(moment) = request.accepted {
                let first = accepted.entry(&request.event_id).or_insert(moment);
                *first = moment.min(*first);
            }
        }
        let is_given_up = |event: &StoredEvent| {
            let mut deliveries = past.ledger.deliveries.iter();
            deliveries.any(|one| {
                one.event_row == event.id && one.subscription == *reference && one.state == "failed"
            })
        };
        for request in past.received.iter().filter(|one| one.subscriber == number) {
            let of_property = heard_by(past, number)
                .into_iter()
                .filter(|event| event.uprn.value() == request.uprn);
            let earlier = of_property.take_while(|event| event.event_id != request.event_id);
            for event in earlier {
                let first = accepted.get(event.event_id.as_str());
                if first.is_none_or(|first| *first > request.arrived) && !is_given_up(event) {
                    self.wrong.push(format!(
                        "{number} received {} before {} of property {}",
                        request.event_id, event.event_id, request.uprn
                    ));
                    break;
                }
            }
        }
    }

    /// Nothing that was accepted is sent again, but what a killed process had under way: at most as
    /// much as may be under way on a lane.
    fn check_repeats(&mut self, number: usize) {
        let mut in_vain: HashMap<usize, usize> = HashMap::new();
        for times in self.past.acceptances(number).into_values() {
            for pair in times.windows(2) {
                let node = pair[0].node;
                *in_vain.entry(node).or_default() += 1;
                // A process that goes on knows what was accepted.
                if pair[1].node == node || !self.past.killed.contains(&node) {
                    self.wrong.push(format!(
                        "{number} received {} again, not because node {node} was killed",
                        pair[0].event_id
                    ));
                }
            }
        }
        let max = Config::of_template().unwrap().callback_concurrency;
        for (node, count) in in_vain {
            self.repeats += count;
            self.repeats_max = self.repeats_max.max(count);
            if count > max {
                self.wrong.push(format!(
                    "{number} received {count} events again after the end of node {node}"
                ));
            }
        }
    }

    /// What the store called delivered is never sent again.
    fn check_done(&mut self) {
        for request in &self.past.received {
            let reference = self.past.subscriptions[request.subscriber].clone();
            let key = (reference, request.event_id.clone());
            let done = self.past.delivered.get(&key);
            if done.is_some_and(|done| *done < request.arrived) {
                self.wrong
                    .push(format!("sent again though delivered: {request:?}"));
            }
        }
    }
}

/// The events that a subscriber receives, in the order in which they were recorded.
fn heard_by(past: &Past, number: usize) -> Vec<&StoredEvent> {
    let (_manner, events) = SUBSCRIBERS[number];
    let subscribed_types = |kind: EventType| events.contains(&kind.as_str());
    let all = past.ledger.events.iter();
    all.filter(|event| subscribed_types(event.event_type))
        .collect()
}

/// Whether an event was recorded so long after its subscription ended.
fn is_after_end(event: &StoredEvent, standing: &Standing, seconds: i64) -> bool {
    let ended = standing.disabled_at;
    ended.is_some_and(|ended| event.recorded_at > ended + seconds)
}
