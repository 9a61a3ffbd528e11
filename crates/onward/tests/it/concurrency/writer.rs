//! One of many writers: what it does to the listings that all share, and to the one of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use http::Method;
use jiff::ToSpan as _;
use jiff::civil::Date;
use serde_json::{Value, json};

use super::nodes::Nodes;
use crate::model::catalogue::KINDS;
use crate::random::Random;
use crate::test_server::{Answer, Client, property_of};

/// So many types of milestone are recorded. Each writer has one type for its own listings, so that
/// nobody else can have changed the milestone that it reads back.
const KINDS_RECORDED: usize = 16;

/// A listing as the writers know it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) id: i64,
    pub(super) uprn: i64,
    pub(super) branch: i64,
}

/// What was acknowledged, for comparison with the history.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Acknowledged {
    Linked {
        seller: i64,
        buyer: i64,
    },
    Broken {
        seller: i64,
        buyer: i64,
    },
    /// By a shortcut, which does not say what it was linked to.
    Added,
    Marked,
    Recorded {
        listing: i64,
        key: &'static str,
        date: String,
    },
}

/// What all writers share.
pub(super) struct Shared {
    pub(super) nodes: Nodes,
    /// Agents, each with a branch of its own.
    pub(super) agents: Vec<Client>,
    pub(super) lender: Client,
    pub(super) places: Vec<Place>,
    pub(super) acknowledged: Mutex<BTreeMap<Acknowledged, usize>>,
    /// Links that were there a moment ago.
    pub(super) linked: Mutex<BTreeSet<(i64, i64)>>,
    /// Statuses and how often each was answered.
    pub(super) statuses: Mutex<BTreeMap<u16, usize>>,
}

/// One of them.
pub(super) struct Writer {
    pub(super) number: usize,
    pub(super) shared: Arc<Shared>,
    pub(super) random: Random,
    /// Nobody else links or breaks this one.
    pub(super) own: Place,
    /// What its own listing buys.
    pub(super) bought: Option<Place>,
    /// No date is recorded twice with one key.
    pub(super) recorded: i32,
}

impl Writer {
    pub(super) async fn work(mut self, operations: usize) {
        for _ in 0..operations {
            match self.random.below(100) {
                0..=34 => self.link_or_break().await,
                35..=44 => self.add().await,
                45..=64 => self.mark().await,
                65..=84 => self.record().await,
                _ => self.buy_or_leave().await,
            }
        }
    }

    fn node(&mut self) -> usize {
        self.random.below(self.shared.nodes.count())
    }

    fn agent_of(&self, place: Place) -> Client {
        let mut agents = self.shared.agents.iter();
        let agent = agents.find(|one| one.branches.contains(&place.branch));
        agent.unwrap().clone()
    }

    fn place(&mut self) -> Place {
        *self.random.pick(&self.shared.places)
    }

    /// Sends a write. Whatever happens elsewhere at the same time, the caller sees it done or
    /// refused by a rule.
    async fn write(&self, node: usize, agent: &Client, path: &str, body: Option<Value>) -> Answer {
        let is_put = path.contains("/milestone/");
        let method = if is_put { Method::PUT } else { Method::POST };
        let nodes = &self.shared.nodes;
        let answer = nodes.call(node, agent, (method, path), body).await;
        count(&self.shared.statuses, answer.status);
        let is_expected = [200, 403, 404, 409].contains(&answer.status);
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(is_expected, "{path}: {} {text}", answer.status);
        answer
    }

    fn acknowledge(&self, what: Acknowledged) {
        count(&self.shared.acknowledged, what);
    }

    async fn link_or_break(&mut self) {
        let (one, other) = (self.place(), self.place());
        let known: Vec<(i64, i64)> = self.shared.linked.lock().unwrap().iter().copied().collect();
        let node = self.node();
        let agent = self.agent_of(one);
        // Chains stay of middling length.
        if known.is_empty() || self.random.below(self.shared.places.len()) > known.len() {
            let sells = self.random.chance(50);
            let (seller, buyer) = if sells { (one, other) } else { (other, one) };
            self.link(node, &agent, seller.id, buyer.id).await;
        } else {
            let (seller, buyer) = *self.random.pick(&known);
            let places = self.shared.places.iter();
            let place = places.copied().find(|place| place.id == seller).unwrap();
            let agent = self.agent_of(place);
            self.break_link(node, &agent, seller, buyer).await;
        }
    }

    async fn link(&self, node: usize, agent: &Client, seller: i64, buyer: i64) -> bool {
        let body = json!({"seller": seller, "buyer": buyer});
        let answer = self.write(node, agent, "/chain/add/link", Some(body)).await;
        if answer.status != 200 {
            return false;
        }
        let shown = answer.json();
        let chain = |at: usize| shown["data"][at]["attributes"]["chain_link_id"].clone();
        assert_eq!(chain(0), chain(1), "{shown}");
        if buyer != self.own.id {
            self.shared.linked.lock().unwrap().insert((seller, buyer));
        }
        self.acknowledge(Acknowledged::Linked { seller, buyer });
        true
    }

    async fn break_link(&self, node: usize, agent: &Client, seller: i64, buyer: i64) -> bool {
        let body = json!({"seller": seller, "buyer": buyer});
        let path = "/chain/remove/link";
        let answer = self.write(node, agent, path, Some(body)).await;
        self.shared.linked.lock().unwrap().remove(&(seller, buyer));
        if answer.status == 200 {
            self.acknowledge(Acknowledged::Broken { seller, buyer });
        }
        answer.status == 200
    }

    /// Only at tops: what is added at a bottom would come below a writer's own listing, and so
    /// make it a top that others may add to.
    async fn add(&mut self) {
        let (anchor, given) = (self.place(), self.place());
        let path = format!("/listing/chain/{}/add/top/{}", anchor.id, given.id);
        let node = self.node();
        let answer = self.write(node, &self.agent_of(anchor), &path, None).await;
        if answer.status == 200 {
            self.acknowledge(Acknowledged::Added);
        }
    }

    async fn mark(&mut self) {
        let place = self.place();
        let agent = self.agent_of(place);
        let verb = *self.random.pick(&["check", "check", "uncheck"]);
        let end = *self.random.pick(&["top", "bottom"]);
        let node = self.node();
        let answer = if self.random.chance(70) {
            let path = format!("/listing/chain/{}/{verb}/{end}", place.id);
            self.write(node, &agent, &path, None).await
        } else {
            let path = format!("/listing/{}", place.id);
            let shown = self.shared.nodes.read(node, &agent, &path).await;
            let chain = &shown["data"]["attributes"]["chain_link_id"];
            let path = format!("/chain/{}/{verb}", chain.as_str().unwrap());
            let is_check = verb == "check";
            let reason = if is_check { "Checked" } else { "Not EOC" };
            let body = json!({"reason": reason, "top": end == "top"});
            let other = self.shared.nodes.other(node);
            self.write(other, &agent, &path, Some(body)).await
        };
        if answer.status == 200 {
            self.acknowledge(Acknowledged::Marked);
        }
    }

    /// Records a milestone, and reads it back on the other node at once.
    async fn record(&mut self) {
        let key = KINDS[self.number % KINDS_RECORDED].key;
        let half = self.number / KINDS_RECORDED;
        let places = self.shared.places.iter().copied().enumerate();
        let mine = places.filter(|(index, _)| index % 2 == half % 2);
        let mine: Vec<Place> = mine.map(|(_, place)| place).collect();
        let place = *self.random.pick(&mine);
        let agent = self.agent_of(place);
        self.recorded += 1;
        let first: Date = "2000-01-01".parse().unwrap();
        let date = first.checked_add(self.recorded.days()).unwrap().to_string();
        let path = format!("/listing/{}/milestone/{key}", place.id);
        let node = self.node();
        let body = json!({"date": date});
        let answer = self.write(node, &agent, &path, Some(body)).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        self.acknowledge(Acknowledged::Recorded {
            listing: place.id,
            key,
            date: date.clone(),
        });
        let other = self.shared.nodes.other(node);
        let shown = self.shared.nodes.read(other, &agent, &path).await;
        let after = format!("node {other} after a write at node {node}");
        assert_eq!(shown, answer.json(), "{after}");
        if key == "sstc" {
            let shared = &self.shared;
            let chain = shared.nodes.query(other, &shared.lender, place.uprn).await;
            let shown = &property_of(&chain, place.uprn)["milestones"]["soldSubjectToContract"];
            assert_eq!(shown["completed"], date, "{after}");
        }
    }

    /// Buys for its own listing or gives it up again; the other node shows it at once.
    async fn buy_or_leave(&mut self) {
        let node = self.node();
        let agent = self.agent_of(self.own);
        if let Some(bought) = self.bought {
            assert!(self.break_link(node, &agent, bought.id, self.own.id).await);
            self.bought = None;
        } else {
            let place = self.place();
            if self.link(node, &agent, place.id, self.own.id).await {
                self.bought = Some(place);
            }
        }
        let other = self.shared.nodes.other(node);
        let path = format!("/listing/{}?includes=seller", self.own.id);
        let shown = self.shared.nodes.read(other, &agent, &path).await;
        let seller = &shown["data"]["relationships"]["seller"]["data"]["id"];
        let expected = self.bought.map_or(Value::Null, |place| json!(place.id));
        let after = format!("node {other} after a write at node {node}");
        assert_eq!(*seller, expected, "{after}");
        let (shared, uprn) = (&self.shared, self.own.uprn);
        let chain = shared.nodes.query(other, &shared.lender, uprn).await;
        let shown = property_of(&chain, uprn)["connections"]["onwardPurchase"].clone();
        let expected: Vec<i64> = self.bought.iter().map(|place| place.uprn).collect();
        assert_eq!(shown, json!(expected), "{after}");
    }
}

fn count<K: Ord>(counts: &Mutex<BTreeMap<K, usize>>, key: K) {
    *counts.lock().unwrap().entry(key).or_default() += 1;
}
