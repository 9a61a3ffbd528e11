//! One run: what is done to the nodes, and what is known of it afterwards.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use observe::clock::Stopwatch;
use serde_json::{Value, json};

use super::ledger::{self, Ledger};
use super::nodes::Nodes;
use super::past::{Past, Shown};
use super::receivers::{self, Manner, SUBSCRIBERS};
use super::recording::Recorder;
use super::requests::Log;
use super::{FUSSY_UPRN, PROPERTIES};
use crate::random::Random;
use crate::state_log::stored::StoredLogs;
use crate::test_server::{ClosedTestServer, PATIENCE, TestServer, send, status_text};

const RECORDERS: i64 = 4;
/// The longest life of a node under load.
const LIFE_MILLISECONDS_MAX: usize = 3_500;
const LIFE_MILLISECONDS_MIN: usize = 50;
/// How far the clock moves between a kill and the next start, in seconds: more than a lease, and
/// more than some of the pauses between attempts (S-35).
const MOVES_SECONDS: [i64; 4] = [40, 11 * 60, 3 * 3600, 13 * 3600];
/// More than the longest pause, with what is added to it by chance.
const LONG_MOVE_SECONDS: i64 = 29 * 3600;
/// So many are more than the five days after which nothing but failures ends a subscription.
const LONG_MOVES_MIN: usize = 6;
/// So many are more than all attempts at one delivery.
const LONG_MOVES_MAX: usize = 30;
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// A run under way.
pub(super) struct Run {
    closed: ClosedTestServer,
    nodes: Nodes,
    log: Arc<Log>,
    /// Ids of the subscriptions, in the order of [`SUBSCRIBERS`].
    subscriptions: Vec<String>,
    key: String,
    http: reqwest::Client,
    random: Random,
    recorders: Vec<Recorder>,
    /// Of whose property the fussy subscriber takes nothing.
    fussy_listing: i64,
    delivered: HashMap<(String, String), usize>,
}

/// What was waited for until patience ended.
#[derive(Debug)]
pub(super) struct InVain(pub(super) String);

impl Run {
    /// Sets everything up, and starts the nodes.
    pub(super) async fn begin(server: TestServer, seed: u64, node_count: usize) -> Self {
        let log = Arc::new(Log::default());
        let key = server.api_key("Example Lender").await;
        let mut subscriptions = Vec::new();
        for (number, (_manner, events)) in SUBSCRIBERS.iter().enumerate() {
            let folder = server.directory.path();
            let url = receivers::open(folder, number, Arc::clone(&log)).await;
            let body = json!({
                "participantName": "Example Lender", "callbackUrl": url, "events": events,
            });
            let answer = server.post_webhook(&key, "/subscribe", body).await;
            assert_eq!(answer.status, 201, "{}", answer.json());
            let id = answer.json()["subscriptionId"].as_str().unwrap().to_owned();
            subscriptions.push(id);
        }
        let agent = server.agent("north").await;
        let mut listings = Vec::new();
        for uprn in 1..=PROPERTIES {
            listings.push((uprn, agent.list(uprn).await));
        }
        let http = crate::test_server::http_client(&server, None);
        let closed = server.close().await;
        let folder = closed.directory.path().to_owned();
        let http_of_agent = agent.registration.http.clone();
        let config = closed.config.clone();
        let mut nodes = Nodes::new(config, folder, agent.registration, node_count);
        nodes.start_all().await;
        let recorders = (0..RECORDERS).map(|number| Recorder {
            entrances: Arc::clone(&nodes.entrances),
            http: http_of_agent.clone(),
            share: number,
            listings: listings
                .iter()
                .filter(|(uprn, _listing)| uprn % RECORDERS == number)
                .map(|(_uprn, listing)| *listing)
                .collect(),
            random: Random::new(seed + 1 + u64::try_from(number).unwrap()),
            recorded: Vec::new(),
            unknown: 0,
        });
        let mut all = listings.iter();
        let (_uprn, fussy_listing) = all.find(|(uprn, _listing)| *uprn == FUSSY_UPRN).unwrap();
        Self {
            recorders: recorders.collect(),
            fussy_listing: *fussy_listing,
            closed,
            nodes,
            log,
            subscriptions,
            key,
            http,
            random: Random::new(seed),
            delivered: HashMap::new(),
        }
    }

    /// All that is done to the nodes. What is waited for in vain is the first fault of the run; what
    /// is missing then is seen in the end.
    pub(super) async fn live(&mut self, rounds: usize) -> Result<(), InVain> {
        self.kill_under_load(rounds).await;
        self.calm_down().await?;
        self.grow_old().await?;
        self.settle().await
    }

    /// Kills nodes while all recorders record.
    async fn kill_under_load(&mut self, rounds: usize) {
        let is_over = Arc::new(AtomicBool::new(false));
        let mut working = tokio::task::JoinSet::new();
        for recorder in std::mem::take(&mut self.recorders) {
            working.spawn(recorder.work(Arc::clone(&is_over)));
        }
        for round in 1..=rounds {
            let life = LIFE_MILLISECONDS_MIN + self.random.below(LIFE_MILLISECONDS_MAX);
            tokio::time::sleep(Duration::from_millis(life.try_into().unwrap())).await;
            let is_last = round == rounds;
            if self.nodes.count() > 1 && (is_last || self.random.chance(40)) {
                // The last time the others have to take over when the lease ends by itself.
                let slot = self.random.below(self.nodes.count());
                self.nodes.kill(slot).await;
                self.nodes.start(slot).await;
            } else {
                let seconds = *self.random.pick(&MOVES_SECONDS);
                let is_moved = is_last || self.random.chance(75);
                self.kill_all(is_moved.then_some(seconds)).await;
            }
        }
        is_over.store(true, Ordering::SeqCst);
        while let Some(finished) = working.join_next().await {
            self.recorders.push(finished.unwrap());
        }
    }

    /// Kills all nodes, moves the clock, and starts them again.
    async fn kill_all(&mut self, seconds: Option<i64>) {
        let mut slots: Vec<usize> = (0..self.nodes.count()).collect();
        self.random.shuffle(&mut slots);
        for slot in slots {
            self.nodes.kill(slot).await;
        }
        if let Some(seconds) = seconds {
            let store = self.closed.open_store().await;
            let moment = self.log.moment();
            for known in ledger::read_delivered(&store).await {
                self.delivered.entry(known).or_insert(moment);
            }
            ledger::move_clock(&store, seconds).await;
        }
        self.nodes.start_all().await;
    }

    /// Waits until everyone who takes everything has everything, and the fussy one all but what
    /// it refuses.
    async fn calm_down(&self) -> Result<(), InVain> {
        for (number, (manner, events)) in SUBSCRIBERS.iter().enumerate() {
            let (but_uprn, but_listing) = if *manner == Manner::Fussy {
                (FUSSY_UPRN, self.fussy_listing)
            } else if manner.is_healthy() {
                (0, 0)
            } else {
                continue;
            };
            let all = self.recorders.iter().flat_map(|one| &one.recorded);
            let subscribed_types =
                |label: &str| events.contains(&"milestone.updated") || label.is_empty();
            let expected = all
                .filter(|(listing, label, _date)| {
                    *listing != but_listing && subscribed_types(label)
                })
                .count();
            self.wait_until(&format!("{number} has all {expected}"), async || {
                self.log.accepted(number, but_uprn).len() == expected
            })
            .await?;
        }
        Ok(())
    }

    /// Moves the clock on by a day and more, again and again, until the fussy subscriber's first
    /// refused event is given up. Something goes well in between: without it, the subscription
    /// would end first.
    async fn grow_old(&mut self) -> Result<(), InVain> {
        let mut all = SUBSCRIBERS.iter();
        let fussy = all.position(|(manner, _events)| *manner == Manner::Fussy);
        let fussy = fussy.unwrap();
        for moves in 0..LONG_MOVES_MAX {
            let shown = self.shown(fussy).await;
            let mut deliveries = shown.deliveries.iter();
            if moves >= LONG_MOVES_MIN && deliveries.any(|one| one["status"] == "failed") {
                return Ok(());
            }
            let tries = count_tries(&shown);
            self.kill_all(Some(LONG_MOVE_SECONDS)).await;
            let taken = self.log.accepted(fussy, FUSSY_UPRN).len();
            let mut recorders = self.recorders.iter_mut();
            let other = recorders.find(|one| one.share != FUSSY_UPRN % RECORDERS);
            other.unwrap().record().await;
            self.wait_until("the fussy one is tried", async || {
                count_tries(&self.shown(fussy).await) > tries
                    && self.log.accepted(fussy, FUSSY_UPRN).len() > taken
            })
            .await?;
        }
        let vain = format!("nothing was given up after {LONG_MOVES_MAX} moves");
        Err(InVain(vain))
    }

    /// Waits until the endless attempts were noted and hopeless subscriptions were ended.
    async fn settle(&self) -> Result<(), InVain> {
        self.calm_down().await?;
        for (number, (manner, _events)) in SUBSCRIBERS.iter().enumerate() {
            if manner.is_endless() {
                self.wait_until("an endless attempt has ended", async || {
                    let shown = self.shown(number).await;
                    let attempts = shown.deliveries.iter().flat_map(attempts_of);
                    attempts.into_iter().any(|one| one["error"] == "timeout")
                })
                .await?;
            }
            let end = if manner.is_hopeless() {
                "disabled failing"
            } else if *manner == Manner::Gone {
                "disabled gone"
            } else {
                continue;
            };
            self.wait_until(&format!("{manner:?} is {end}"), async || {
                self.shown_status(number).await == end
            })
            .await?;
        }
        Ok(())
    }

    /// Stops the nodes and reads everything.
    pub(super) async fn end(mut self) -> Past {
        let mut shown = Vec::new();
        for number in 0..SUBSCRIBERS.len() {
            shown.push(self.shown(number).await);
        }
        self.nodes.stop_all().await;
        let store = self.closed.open_store().await;
        let ledger = Ledger::read(&store).await;
        assert_eq!(ledger::count_chains_with_gaps(&store).await, 0);
        let logs = StoredLogs::read(&store).await;
        let faults = logs.list_faults(&store, server::OPEN).await;
        assert_eq!(faults, Vec::<String>::new(), "of the log of states");
        drop(store);
        self.closed.end().await;
        Past {
            ledger,
            subscriptions: self.subscriptions,
            received: self.log.all(),
            unknown: self.recorders.iter().map(|one| one.unknown).sum(),
            recorded: self
                .recorders
                .into_iter()
                .flat_map(|one| one.recorded)
                .collect(),
            killed: self.nodes.killed,
            delivered: self.delivered,
            shown,
            log_errors: self.nodes.errors,
            log_warnings: self.nodes.warnings,
        }
    }

    /// A subscription with all its deliveries, as one of the nodes shows it to its owner (S-37).
    async fn shown(&self, number: usize) -> Shown {
        let status = self.shown_status(number).await;
        let mut deliveries = Vec::new();
        for page in 1.. {
            let after = format!("/deliveries?per_page=100&page={page}");
            let answer = self.ask(number, &after).await;
            deliveries.extend(answer["data"].as_array().unwrap().iter().cloned());
            if answer["meta"]["pagination"]["last_page"] == page {
                break;
            }
        }
        Shown { status, deliveries }
    }

    async fn shown_status(&self, number: usize) -> String {
        status_text(&self.ask(number, "").await)
    }

    async fn ask(&self, number: usize, after: &str) -> Value {
        let entrance = self.nodes.entrances.lock().unwrap()[0].clone();
        let id = &self.subscriptions[number];
        let path = format!("/api/v1/webhook/subscriptions/{id}{after}");
        let request = self.http.get(format!("{}{path}", entrance.base_url));
        let request = request.header("x-api-key", &self.key).timeout(PATIENCE);
        let answer = send(request).await;
        assert_eq!(answer.status, 200, "{}", answer.json());
        answer.json()
    }

    async fn wait_until(
        &self,
        wanted: &str,
        mut is_so: impl AsyncFnMut() -> bool,
    ) -> Result<(), InVain> {
        let begun = Stopwatch::start();
        while !is_so().await {
            if begun.elapsed() > PATIENCE {
                return Err(InVain(format!("waited in vain until {wanted}")));
            }
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
        Ok(())
    }
}

/// Attempts at what is not delivered.
fn count_tries(shown: &Shown) -> usize {
    let open = shown.deliveries.iter();
    let open = open.filter(|one| one["status"] != "delivered");
    open.map(|one| attempts_of(one).len()).sum()
}

fn attempts_of(delivery: &Value) -> &Vec<Value> {
    delivery["attempts"].as_array().unwrap()
}
