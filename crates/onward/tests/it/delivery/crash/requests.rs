//! What all receivers received, in one order.

use std::collections::HashSet;
use std::sync::Mutex;

use serde_json::Value;

/// One request to a receiver. Moments are numbers that only grow.
#[derive(Debug, Clone)]
pub(super) struct Subscribed {
    /// Which subscriber it came to.
    pub(super) subscriber: usize,
    pub(super) event_id: String,
    pub(super) uprn: i64,
    /// The process that sent it.
    pub(super) node: usize,
    pub(super) arrived: usize,
    /// When a whole 2xx went out, if one did.
    pub(super) accepted: Option<usize>,
}

/// The requests to all receivers.
#[derive(Default)]
pub(super) struct Log(Mutex<Requests>);

#[derive(Default)]
struct Requests {
    moment: usize,
    received: Vec<Subscribed>,
}

/// The issuer that names the process of this number and no other.
pub(super) fn issuer(node: usize) -> String {
    format!("https://node-{node}.example")
}

fn node_of(issuer: &str) -> usize {
    let number = issuer.strip_prefix("https://node-");
    let number = number.and_then(|rest| rest.strip_suffix(".example"));
    number.unwrap().parse().unwrap()
}

impl Log {
    /// Notes a request by the claims of its token; the request's place.
    pub(super) fn note(&self, subscriber: usize, claims: &Value) -> usize {
        let text = |name: &str| claims[name].as_str().unwrap();
        let mut log = self.0.lock().unwrap();
        let arrived = log.tick();
        log.received.push(Subscribed {
            subscriber,
            event_id: text("eventId").to_owned(),
            uprn: text("uprn").parse().unwrap(),
            node: node_of(text("iss")),
            arrived,
            accepted: None,
        });
        log.received.len() - 1
    }

    /// Notes that a request is about to be answered with success.
    pub(super) fn accept(&self, place: usize) {
        let mut log = self.0.lock().unwrap();
        log.received[place].accepted = Some(log.tick());
    }

    /// A moment after all that was noted so far.
    pub(super) fn moment(&self) -> usize {
        self.0.lock().unwrap().tick()
    }

    /// How often a subscriber received an event so far.
    pub(super) fn count(&self, subscriber: usize, event_id: &str) -> usize {
        let log = self.0.lock().unwrap();
        let of_one = |one: &&Subscribed| one.subscriber == subscriber && one.event_id == event_id;
        log.received.iter().filter(of_one).count()
    }

    /// How many requests a subscriber got so far.
    pub(super) fn count_all(&self, subscriber: usize) -> usize {
        let log = self.0.lock().unwrap();
        let requests = log.received.iter();
        requests.filter(|one| one.subscriber == subscriber).count()
    }

    /// The events that a subscriber accepted so far, but for those of one property.
    pub(super) fn accepted(&self, subscriber: usize, but_uprn: i64) -> HashSet<String> {
        let log = self.0.lock().unwrap();
        let requests = log.received.iter().filter(|one| {
            one.subscriber == subscriber && one.accepted.is_some() && one.uprn != but_uprn
        });
        requests.map(|one| one.event_id.clone()).collect()
    }

    /// All requests, as they came.
    pub(super) fn all(&self) -> Vec<Subscribed> {
        self.0.lock().unwrap().received.clone()
    }
}

impl Requests {
    fn tick(&mut self) -> usize {
        self.moment += 1;
        self.moment
    }
}
