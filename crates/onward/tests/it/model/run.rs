//! One run: it sends operations and compares every view with the model.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use chain::consent::ForeignLinks;
use reqwest::RequestBuilder;
use storage::events::list_events;

use super::chain_changes::Before;
use super::current::IDLE_SECONDS;
use super::fixture;
use super::operation::Operation;
use super::proposals::PROPOSAL_SECONDS;
use super::rules::{Asker, Outcome};
use super::state::{Event, Model};
use crate::random::Random;
use crate::test_server::manners::KEY;
use crate::test_server::{Answer, Client, TestServer, send};

/// A token is renewed when it is so old, in seconds.
const TOKEN_AGE_MAX: i64 = 300;
/// The output of a failed run shows so many operations.
const STEPS_SHOWN: usize = 12;

/// Who sends an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caller {
    Agent(usize),
    /// With a token that is not for this.
    Lender,
    WithoutToken,
    WithWrongToken,
}

/// The server, the model, and the callers.
pub(super) struct Run<'a> {
    pub(super) server: &'a TestServer,
    pub(super) model: Model,
    pub(super) agents: Vec<Client>,
    pub(super) lender: Client,
    pub(super) random: Random,
    token_at: i64,
    last_event: i64,
    /// The row of the last `chain.changed`.
    pub(super) last_change: i64,
    /// Entries of each listing's history that were there before.
    pub(super) histories_before: BTreeMap<i64, usize>,
    report: Report,
}

/// What is said when a run fails.
struct Report {
    seed: u64,
    count: usize,
    steps: VecDeque<String>,
}

impl Drop for Report {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let steps: Vec<&str> = self.steps.iter().map(String::as_str).collect();
            eprintln!(
                "run again with ONWARD_MODEL_SEED={}; it failed at step {}:\n{}",
                self.seed,
                self.count,
                steps.join("\n")
            );
        }
    }
}

impl Report {
    fn add(&mut self, text: String) {
        self.steps.push_back(text);
        if self.steps.len() > STEPS_SHOWN {
            self.steps.pop_front();
        }
    }
}

impl<'a> Run<'a> {
    pub(super) async fn begin(server: &'a TestServer, seed: u64) -> Self {
        let (mut model, agents) = fixture::begin(server).await;
        let lender = server.lender().await;
        model.confirms_links = server.config.foreign_links == ForeignLinks::Confirmed;
        let mut run = Self {
            server,
            token_at: model.now,
            model,
            agents,
            lender,
            random: Random::new(seed),
            last_event: 0,
            last_change: 0,
            histories_before: BTreeMap::new(),
            report: Report {
                seed,
                count: 0,
                steps: VecDeque::new(),
            },
        };
        run.last_event = run.take_events().await.1;
        let newest = server
            .storage
            .read(storage::events::find_newest_event)
            .await;
        run.last_change = newest.unwrap();
        for id in run.model.live_ids() {
            let before = run.history(id).await.len();
            run.histories_before.insert(id, before);
        }
        run
    }

    /// One operation, and a look at everything that it could have changed.
    pub(super) async fn step(&mut self) {
        self.report.count += 1;
        let mut seconds = i64::try_from(self.random.below(4)).unwrap();
        if self.random.chance(1) {
            seconds += IDLE_SECONDS;
        }
        if self.model.confirms_links && self.random.chance(1) {
            seconds += PROPOSAL_SECONDS;
        }
        self.server.clock.advance(seconds);
        self.model.now += seconds;
        self.renew_tokens().await;
        if self.random.chance(2) {
            self.import_link().await;
        }
        let operation = self.model.choose(&mut self.random);
        let caller = self.choose_caller(&operation);
        self.report.add(format!("{caller:?} {operation:?}"));
        let answer = self.send(caller, &operation).await;
        let shown = format!(
            "  {} {}",
            answer.status,
            String::from_utf8_lossy(&answer.body)
        );
        self.report.add(shown);
        let Caller::Agent(index) = caller else {
            Self::check_stranger(caller, &answer);
            return;
        };
        let asker = self.asker(index);
        let before = Before::of(&self.model);
        match self.model.apply(&asker, &operation) {
            Outcome::Refused(refusals) => {
                self.check_refusal(&operation, &refusals, &answer);
                self.check_events(&[]).await;
                self.check_changes(&[]).await;
            }
            Outcome::Done(done) => {
                let events = done.events.clone();
                let proposed = done.proposed;
                self.check_success(&asker, &operation, done, &answer);
                self.learn_chains().await;
                match proposed {
                    Some(link) => self.check_proposed(link, &answer),
                    None => self.check_success_body(&operation, &answer),
                }
                self.check_events(&events).await;
                let changes = before.changes(&self.model, &operation);
                self.check_changes(&changes).await;
            }
        }
        self.check_views(&operation).await;
    }

    async fn renew_tokens(&mut self) {
        if self.model.now - self.token_at < TOKEN_AGE_MAX {
            return;
        }
        self.token_at = self.model.now;
        for agent in self.agents.iter_mut().chain([&mut self.lender]) {
            *agent = agent.renewed(self.server).await;
        }
    }

    pub(super) fn asker(&self, agent: usize) -> Asker {
        Asker {
            branches: self.agents[agent].branches.clone(),
            participant: self.agents[agent].registration.participant.clone(),
        }
    }

    /// A caller, mostly one with the right to the operation.
    fn choose_caller(&mut self, operation: &Operation) -> Caller {
        match self.random.below(200) {
            0 => return Caller::Lender,
            1 => return Caller::WithoutToken,
            2 => return Caller::WithWrongToken,
            3..=35 => return Caller::Agent(self.random.below(self.agents.len())),
            _ => {}
        }
        let mut listings = operation.listings();
        let mut branches: Vec<i64> = Vec::new();
        if let Operation::Mark { chain, .. } = operation {
            let anchor = self.model.find_chain(chain);
            listings.extend(anchor.map(|id| self.model.members(id)).unwrap_or_default());
        }
        if let Operation::Create(new) = operation {
            branches.push(new.branch);
        }
        let live = listings.iter().filter_map(|id| self.model.live(*id));
        branches.extend(live.map(|one| one.branch));
        if branches.is_empty() {
            return Caller::Agent(0);
        }
        let branch = *self.random.pick(&branches);
        Caller::Agent(self.owner_of_branch(branch).unwrap_or(0))
    }

    fn owner_of_branch(&self, branch: i64) -> Option<usize> {
        let mut agents = self.agents.iter();
        agents.position(|one| one.branches.contains(&branch))
    }

    pub(super) fn owner(&self, listing: i64) -> usize {
        let branch = self.model.listing(listing).branch;
        self.owner_of_branch(branch).unwrap()
    }

    /// Sends it; sometimes twice with one key, which must not do it twice (S-52).
    async fn send(&mut self, caller: Caller, operation: &Operation) -> Answer {
        let is_twice = matches!(caller, Caller::Agent(_)) && self.random.chance(8);
        let key = is_twice.then(|| uuid::Uuid::new_v4().to_string());
        let answer = send(self.request(caller, operation, key.as_deref())).await;
        if key.is_some() {
            let again = send(self.request(caller, operation, key.as_deref())).await;
            assert_eq!(again.status, answer.status, "the second time");
            assert_eq!(again.body, answer.body, "the second time");
            if answer.status < 300 {
                assert!(again.is_replayed());
            }
        }
        answer
    }

    fn request(&self, caller: Caller, operation: &Operation, key: Option<&str>) -> RequestBuilder {
        let (method, path, body) = operation.request();
        let mut request = match caller {
            Caller::Agent(index) => self.agents[index].request(method, &path),
            Caller::Lender => self.lender.request(method, &path),
            Caller::WithoutToken | Caller::WithWrongToken => {
                self.lender.bare_request(method, &path)
            }
        };
        if caller == Caller::WithWrongToken {
            request = request.bearer_auth("wrong");
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        match key {
            Some(key) => request.header(KEY, key),
            None => request,
        }
    }

    /// A split link, which only an import or the operator can put there.
    async fn import_link(&mut self) {
        let live = self.model.live_ids();
        let (seller, buyer) = (*self.random.pick(&live), *self.random.pick(&live));
        let is_locked = self.model.listing(seller).is_locked || self.model.listing(buyer).is_locked;
        let is_there = self.model.links.contains(&(seller, buyer));
        if seller == buyer || is_locked || is_there || self.model.above(seller).contains(&buyer) {
            return;
        }
        let Some(row) = fixture::link_row(&self.model, seller, buyer) else {
            return;
        };
        self.report.add(format!("import {row}"));
        self.server.import(&row).await;
        let asker = fixture::importer();
        self.model.join(&asker, seller, buyer);
        self.model.settle_import([seller, buyer]);
        let properties = [seller, buyer].map(|id| self.model.listing(id).property);
        let all = self.model.listings.values();
        let beside = all.filter(|one| properties.contains(&one.property));
        for id in beside.map(|one| one.id).collect::<Vec<_>>() {
            let known = self.history_expected(id);
            for entry in self.history(id).await.split_off(known) {
                // The model does not know which changes of current listings an import notes.
                let action = match entry["attributes"]["action"].as_str() {
                    Some("current.gained") => "current.gained",
                    Some("current.lost") => "current.lost",
                    other => panic!("{other:?} of {id}"),
                };
                self.model.note(&asker, action, id);
            }
        }
    }

    async fn take_events(&self) -> (Vec<Event>, i64) {
        let after = self.last_event;
        let storage = &self.server.storage;
        let stored = storage.read(move |read| list_events(read, after, 1000));
        let stored = stored.await.unwrap();
        let last = stored.last().map_or(after, |event| event.id);
        let mut ids = BTreeSet::new();
        let events = stored.iter().map(|event| {
            assert!(event.event_id.starts_with("evt_") && ids.insert(&event.event_id));
            Event {
                kind: event.event_type.as_str(),
                listing: event.listing.0,
                property: event.property.0,
                uprn: event.uprn.value(),
                label: event.label.as_deref().and_then(known_label),
                date: event.date,
            }
        });
        (events.collect(), last)
    }

    /// S-38: the outbox has an event for each recorded milestone, and no other.
    async fn check_events(&mut self, expected: &[Event]) {
        let (events, last) = self.take_events().await;
        assert_eq!(events, expected);
        self.last_event = last;
    }
}

fn known_label(label: &str) -> Option<&'static str> {
    let mut labels = super::catalogue::KINDS.iter().filter_map(|kind| kind.label);
    labels.find(|known| *known == label)
}
