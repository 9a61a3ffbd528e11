//! Measures well-behaved clients beside callers who store as much as their quotas allow (S-65), in turns,
//! because other load on the machine should affect both alike. One client reads chains, another one
//! records milestones.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::Method;
use jiff::ToSpan as _;
use serde_json::{Value, json};
use storage::StoreUrl;
use tokio::process::Command;
use tokio::task::JoinSet;
use tokio::time::{interval, sleep};
use uuid::Uuid;

use crate::agent::{Agent, Call};
use crate::connection::Connection;
use crate::deliveries::Bench;
use crate::load::{Latencies, Target, at_rate, latency};
use crate::process::{Node, Settings};
use crate::rows::{fill, now, run};
use crate::subscriber::{Manner, Subscriber};
use crate::webhooks::Webhooks;
use crate::{engine, hostile, median, read_setting};

/// The participant that stores as much as it may.
const HOARDER: &str = "Example Platform";
/// Connections and requests a second of the client that reads.
const CONNECTIONS: usize = 8;
const READS_PER_SECOND: u64 = 200;
/// Connections, listings and requests a second of the client that records.
const WRITERS: usize = 4;
const LISTINGS: usize = 100;
const WRITES_PER_SECOND: u64 = 50;
/// Answers in the store, of ten clients.
const KEPT_ANSWERS: u64 = 1_000_000;
const KEYED_WRITES_PER_SECOND: u32 = 50;
/// Participants that change watches, their subscriptions, and the UPRNs of each: as many as S-65 allows.
const WATCHING_PARTICIPANTS: usize = 10;
const SUBSCRIPTIONS: usize = 100;
const WATCHED: u64 = 10_000;
/// UPRNs of a new watch: about as many as a request can have.
const REPLACED: u64 = 4_000;
/// Events that are replayed, about 1,000 listings.
const EVENTS: u64 = 100_000;
/// The time for an attack to begin, and for the server to settle afterwards.
const CALM: Duration = Duration::from_secs(2);

/// A caller that stores as much as it may.
#[derive(Clone, Copy)]
enum Hoarder {
    /// It records with a new `Idempotency-Key` each time.
    Answers,
    /// Ten participants replace watches.
    Watches,
    /// It replays all events to all its subscriptions.
    Replays,
}

/// The benchmark times the answers to these two clients.
struct Clients {
    target: Target,
    agent: Arc<Agent>,
    listings: Vec<i64>,
    next: AtomicUsize,
}

pub(crate) async fn measure() {
    let length = Duration::from_secs(read_setting("ONWARD_BENCH_SECONDS", 5));
    let rounds = read_setting("ONWARD_BENCH_ROUNDS", 5);
    let listings = read_setting("ONWARD_BENCH_LISTINGS", 1_000);
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings {
        overrides: &[
            ("RATE_LIMIT_PER_SECOND", "1000"),
            ("RATE_LIMIT_BURST", "3000"),
        ],
        ..Settings::new(directory.path(), listings)
    };
    let node = Node::start(&settings).await;
    let file = directory.path().join("onward.db").display().to_string();
    let url: StoreUrl = settings.store.unwrap_or(file).parse().unwrap();
    println!(
        "beside callers who store much: a client that asks {READS_PER_SECOND} times a second, and one \
         that records {WRITES_PER_SECOND} times, on {}",
        engine()
    );
    let clients = Clients::open(&node).await;
    let bench = Bench::open(node).await;
    for hoarder in [Hoarder::Answers, Hoarder::Replays, Hoarder::Watches] {
        let attack = Attack::prepare(hoarder, &bench, &url).await;
        let (mut alone, mut beside) = (Seen::default(), Seen::default());
        clients.time(length).await;
        for _round in 0..rounds {
            alone.add(clients.time(length).await);
            let tasks = attack.begin(&bench).await;
            sleep(CALM).await;
            beside.add(clients.time(length).await);
            drop(tasks);
            sleep(CALM).await;
        }
        attack.end(&bench).await;
        for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
            for (kind, quiet) in alone.at(share) {
                let attacked = beside.at(share)[kind];
                println!(
                    "{:<42} {name} {:.1} ms",
                    format!("{kind} alone"),
                    quiet * 1e3
                );
                hostile::judge(
                    &format!("{kind} {}", hoarder.describe()),
                    name,
                    attacked,
                    quiet,
                );
            }
        }
        println!("memory of the server: {}", bench.node.memory());
    }
    bench.node.stop().await;
}

/// The measurements of all rounds, by kind of request.
#[derive(Default)]
struct Seen(BTreeMap<&'static str, Vec<Latencies>>);

impl Seen {
    fn add(&mut self, [reads, writes]: [Latencies; 2]) {
        self.0.entry("reads").or_default().push(reads);
        self.0.entry("writes").or_default().push(writes);
    }

    /// The median of the rounds, in seconds.
    fn at(&self, share: f64) -> BTreeMap<&'static str, f64> {
        let all = self.0.iter();
        all.map(|(kind, rounds)| {
            let seconds = rounds.iter().map(|seen| seen.at(share));
            (*kind, median(seconds.collect()))
        })
        .collect()
    }
}

impl Clients {
    async fn open(node: &Node) -> Self {
        let agent = Arc::new(Agent::open(node).await);
        let mut connection = agent.connect().await;
        let mut listings = Vec::new();
        for number in 0..LISTINGS {
            listings.push(agent.list(&mut connection, number).await);
        }
        Self {
            target: Target::open(node, node.read_uprns()).await,
            agent,
            listings,
            next: AtomicUsize::new(0),
        }
    }

    /// Reads and writes for a while.
    async fn time(&self, length: Duration) -> [Latencies; 2] {
        let mut open = Vec::new();
        for _writer in 0..WRITERS {
            open.push(self.agent.connect().await);
        }
        let record = async |connection: &mut Connection, _number| {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let listing = self.listings[number % LISTINGS];
            self.agent
                .send(connection, milestone(listing, number / LISTINGS))
                .await;
        };
        let (reads, writes) = tokio::join!(
            latency(&self.target, CONNECTIONS, READS_PER_SECOND, length),
            at_rate(open, WRITES_PER_SECOND, length, record)
        );
        [reads, writes]
    }
}

/// The recording of a milestone on the day with this number.
fn milestone(listing: i64, day: usize) -> Call {
    let first = jiff::civil::date(2000, 1, 1);
    let day = first + i64::try_from(day).unwrap().days();
    Call {
        method: Method::PUT,
        path: format!("/listing/{listing}/milestone/searches_ordered"),
        body: Some(json!({ "date": day.to_string() })),
    }
}

impl Hoarder {
    fn describe(self) -> &'static str {
        match self {
            Self::Answers => "beside a million kept answers",
            Self::Watches => "beside ten that change watches",
            Self::Replays => "beside replays to 100 subscriptions",
        }
    }
}

/// An attack that can be begun several times.
enum Attack {
    Answers {
        agent: Arc<Agent>,
        listing: i64,
    },
    Watches {
        keys: Vec<(String, Vec<String>)>,
        _receiver: Subscriber,
    },
    Replays {
        subscriptions: Vec<String>,
        since: String,
        _receiver: Subscriber,
    },
}

impl Attack {
    async fn prepare(hoarder: Hoarder, bench: &Bench, url: &StoreUrl) -> Self {
        match hoarder {
            Hoarder::Answers => {
                let agent = Agent::open_as(&bench.node, HOARDER).await;
                let listing = agent.list(&mut agent.connect().await, 0).await;
                fill(url, KEEP_ANSWERS, KEPT_ANSWERS, &[now()]).await;
                Self::Answers {
                    agent: Arc::new(agent),
                    listing,
                }
            }
            Hoarder::Watches => {
                let receiver = bench.receiver(Manner::Hanging).await;
                let mut keys = Vec::new();
                for number in 0..WATCHING_PARTICIPANTS {
                    let key = issue_key(&bench.node, &format!("Watcher {number}")).await;
                    let mut webhooks = Webhooks::open_with(&bench.node, &key).await;
                    let mut subscriptions = Vec::new();
                    for place in 0..SUBSCRIPTIONS {
                        let url = format!("{}/{number}/{place}", receiver.callback_url);
                        subscriptions.push(webhooks.subscribe(&url, "fallthrough").await);
                    }
                    keys.push((key, subscriptions));
                }
                let rows = WATCHED * SUBSCRIPTIONS as u64 * WATCHING_PARTICIPANTS as u64;
                fill(url, WATCH, rows, &[]).await;
                run(url, COUNT_WATCHED, Vec::new()).await;
                Self::Watches {
                    keys,
                    _receiver: receiver,
                }
            }
            Hoarder::Replays => {
                let receiver = bench.receiver(Manner::Hanging).await;
                let mut webhooks = Webhooks::open(&bench.node, HOARDER).await;
                let mut subscriptions = Vec::new();
                for place in 0..SUBSCRIPTIONS {
                    let url = format!("{}/{place}", receiver.callback_url);
                    subscriptions.push(webhooks.subscribe(&url, "milestone.updated").await);
                }
                fill(url, RECORD_EVENTS, EVENTS, &[now()]).await;
                Self::Replays {
                    subscriptions,
                    since: observe::clock::to_rfc3339(now() - 60),
                    _receiver: receiver,
                }
            }
        }
    }

    async fn begin(&self, bench: &Bench) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        match self {
            Self::Answers { agent, listing } => {
                tasks.spawn(record_with_keys(Arc::clone(agent), *listing));
            }
            Self::Watches { keys, .. } => {
                for (key, watching) in keys {
                    let webhooks = Webhooks::open_with(&bench.node, key).await;
                    tasks.spawn(replace_watches(webhooks, watching.clone()));
                }
            }
            Self::Replays {
                subscriptions,
                since,
                ..
            } => {
                let webhooks = Webhooks::open(&bench.node, HOARDER).await;
                tasks.spawn(replay(webhooks, subscriptions.clone(), since.clone()));
            }
        }
        tasks
    }

    /// Removes the subscriptions that would take part in the next attack.
    async fn end(self, bench: &Bench) {
        match self {
            Self::Answers { .. } => {}
            Self::Watches { keys, .. } => {
                for (key, _subscriptions) in keys {
                    Webhooks::open_with(&bench.node, &key)
                        .await
                        .unsubscribe_all()
                        .await;
                }
            }
            Self::Replays { .. } => {
                Webhooks::open(&bench.node, HOARDER)
                    .await
                    .unsubscribe_all()
                    .await;
            }
        }
    }
}

/// Most of them are refused once the quota is used up.
async fn record_with_keys(agent: Arc<Agent>, listing: i64) {
    let mut due = interval(Duration::from_secs(1) / KEYED_WRITES_PER_SECOND);
    let mut connection = agent.connect().await;
    for number in 0.. {
        due.tick().await;
        let call = milestone(listing, number % 5_000);
        let key = Uuid::new_v4().to_string();
        let (status, body) = agent.try_send(&mut connection, call, Some(&key)).await;
        let body = String::from_utf8_lossy(&body);
        assert!([200, 201, 429].contains(&status), "{status} {body}");
    }
}

/// Replaces the watches of one subscription after the other. Most of it is refused.
async fn replace_watches(mut webhooks: Webhooks, subscriptions: Vec<String>) {
    for turn in 0_u64.. {
        let subscription = &subscriptions[usize::try_from(turn).unwrap() % SUBSCRIPTIONS];
        let first = 600_000_000_000 + turn * REPLACED;
        let uprns: Vec<u64> = (first..first + REPLACED).collect();
        let body = json!({ "uprns": uprns, "reach": "property" });
        let path = format!("/subscriptions/{subscription}/watch");
        let (status, body) = webhooks.try_send(Method::PUT, &path, Some(&body)).await;
        let body = String::from_utf8_lossy(&body);
        assert!([200, 409, 429].contains(&status), "{status} {body}");
    }
}

/// Replays to one subscription after the other until the quota is used up.
async fn replay(mut webhooks: Webhooks, subscriptions: Vec<String>, since: String) {
    for subscription in subscriptions.iter().cycle() {
        let path = format!("/subscriptions/{subscription}/replay");
        let body = json!({ "since": since });
        let (status, body) = webhooks.try_send(Method::POST, &path, Some(&body)).await;
        let body = String::from_utf8_lossy(&body);
        assert!([200, 202, 409, 429].contains(&status), "{status} {body}");
    }
}

async fn issue_key(node: &Node, participant: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onward"));
    command
        .args(["api-key", "issue", "--json", "--participant", participant])
        .arg("--config")
        .arg(node.config_file())
        .stderr(Stdio::inherit());
    let issued = command.output().await.unwrap();
    let issued: Value = serde_json::from_slice(&issued.stdout).unwrap();
    issued["key"].as_str().unwrap().to_owned()
}

/// Answers of ten clients that expire in a day. $1 is the first number, $2 the last one, $3 the Unix time.
const KEEP_ANSWERS: &str = "insert into idempotency (client_id, path, request_key, body_digest, status, \
     body, expires_at, bytes) with recursive number (value) as (select cast($1 as bigint) union all \
     select value + 1 from number where value < $2) select 'bench' || cast(value % 10 as text), \
     '/api/v1/listing/1/milestone/exchange', cast(value as text), 'digest', 200, \
     '{\"success\":true}', $3 + 86400, 60 from number";

/// The UPRNs that the subscriptions of watchers watch, 10,000 each.
const WATCH: &str = "insert into watched (uprn, subscription_id) \
     with recursive number (value) as (select cast($1 as bigint) union all \
     select value + 1 from number where value < $2) select 700000000000 + value % 10000, \
     (select min(id) from subscription where participant_name = 'Benchmark' and status = 'active') \
     + value / 10000 \
     from number";

/// The same as counts.
const COUNT_WATCHED: &str = "update subscription set watched_uprns = 10000, watch_reach = 'property' \
     where exists (select 1 from watched w where w.subscription_id = subscription.id)";

/// Events of current listings.
const RECORD_EVENTS: &str = "insert into event (event_id, event_type, listing_id, property_id, uprn, \
     label, date, recorded_at) with recursive number (value) as (select cast($1 as bigint) union all \
     select value + 1 from number where value < $2), sold (place, listing, property, uprn) as \
     (select row_number() over (order by p.id) - 1, p.current_listing_id, p.id, p.uprn from property p \
     where p.current_listing_id is not null) select 'bench-' || cast(value as text), \
     'milestone.updated', listing, property, uprn, 'SSTC', '2026-01-05', $3 \
     from number join sold on place = value % 500";
