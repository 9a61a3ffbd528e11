//! Measures a healthy subscriber and a well-behaved client beside callers who do all that their
//! limits allow, in turns, because other load on the machine should affect both alike.

use std::fmt::Write as _;
use std::net::UdpSocket;
use std::sync::Arc;
use std::time::Duration;

use http::{Method, Request};
use http_body_util::Full;
use rustls::ClientConfig;
use serde_json::json;
use tokio::process::Command;
use tokio::task::JoinSet;
use tokio::time::{interval, sleep};

use crate::connection::Connection;
use crate::deliveries::Bench;
use crate::isolation::receive_steadily;
use crate::load::{Target, latency};
use crate::process::{Node, Settings};
use crate::subscriber::Manner;
use crate::webhooks::Webhooks;
use crate::{hostile, median, percentile, read_setting};

/// The participant that uses up its limits.
const NEIGHBOUR: &str = "Example Platform";
/// A name server at this address gets all questions and answers none.
const NAME_SERVER: &str = "127.0.0.153";
/// Subscriptions at once, each replaced after so long: 9 new ones a second.
const NEW_SUBSCRIPTIONS: u32 = 72;
const SUBSCRIPTION_LIFE: Duration = Duration::from_secs(8);
/// As many as a participant may have.
const SUBSCRIPTIONS: usize = 100;
const SIMULATIONS_PER_SECOND: u32 = 10;
/// Addresses in one query, all in a postcode with 1,000 listings.
const ADDRESSES: usize = 100;
/// The client's connections and requests a second.
const CONNECTIONS: usize = 8;
const RATE: u64 = 200;
/// The time for an attack to begin, and for the server to settle afterwards.
const CALM: Duration = Duration::from_secs(2);

/// A caller that does all that its limits allow.
#[derive(Clone, Copy)]
enum Neighbour {
    /// It subscribes with callback hosts, and their name server never answers. Each further subscriber
    /// of an event costs its share, so these subscribe to other events.
    SilentNames,
    /// It simulates events for as many hanging subscriptions as it may have.
    Simulations,
    /// It asks for many addresses of one postcode with many listings.
    OnePostcode,
}

pub(crate) async fn measure() {
    let Ok(_silent) = UdpSocket::bind((NAME_SERVER, 53)) else {
        println!("neighbours: left out, because only root may listen on port 53");
        return;
    };
    let length = Duration::from_secs(read_setting("ONWARD_BENCH_SECONDS", 5));
    let rounds = read_setting("ONWARD_BENCH_ROUNDS", 5);
    let directory = tempfile::tempdir().unwrap();
    let listings = read_setting("ONWARD_BENCH_LISTINGS", 1_000);
    let settings = Settings {
        overrides: &[
            ("RATE_LIMIT_PER_SECOND", "1000"),
            ("RATE_LIMIT_BURST", "3000"),
        ],
        ..Settings::new(directory.path(), listings)
    };
    let node = Node::start_as(onward_with_silent_names(&settings), &settings).await;
    let target = Target::open(&node, node.read_uprns()).await;
    let mut bench = Bench::open(node).await;
    println!("neighbours of a subscriber, and of a client that asks {RATE} times a second");
    for neighbour in [
        Neighbour::SilentNames,
        Neighbour::Simulations,
        Neighbour::OnePostcode,
    ] {
        let (mut alone, mut beside) = (Vec::new(), Vec::new());
        for _round in 0..rounds {
            alone.push(neighbour.victim_p99(&mut bench, &target, length).await);
            let attack = neighbour.begin(&bench).await;
            sleep(CALM).await;
            beside.push(neighbour.victim_p99(&mut bench, &target, length).await);
            drop(attack);
            neighbour.clean(&bench).await;
            sleep(CALM).await;
        }
        let alone = median(alone);
        println!("{:<42} p99 {:.1} ms", neighbour.victim(), alone * 1e3);
        hostile::judge(neighbour.describe(), "p99", median(beside), alone);
    }
    println!("memory of the server: {}", bench.node.memory());
    bench.node.stop().await;
}

/// `onward` in a mount namespace of its own, with another `/etc/resolv.conf`.
fn onward_with_silent_names(settings: &Settings<'_>) -> Command {
    let file = settings.directory.join("resolv.conf");
    std::fs::write(&file, format!("nameserver {NAME_SERVER}\n")).unwrap();
    let script = "mount --bind \"$0\" /etc/resolv.conf && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
    command.arg(file).arg(env!("CARGO_BIN_EXE_onward"));
    command
}

impl Neighbour {
    fn describe(self) -> &'static str {
        match self {
            Self::SilentNames => "beside subscriptions to silent names",
            Self::Simulations => "beside simulated events for 100 others",
            Self::OnePostcode => "beside 100 addresses of one postcode",
        }
    }

    fn victim(self) -> &'static str {
        match self {
            Self::SilentNames | Self::Simulations => "a healthy subscriber alone",
            Self::OnePostcode => "a client alone",
        }
    }

    /// In seconds.
    async fn victim_p99(self, bench: &mut Bench, target: &Target, length: Duration) -> f64 {
        match self {
            Self::SilentNames | Self::Simulations => {
                percentile(receive_steadily(bench, length).await, 0.99) / 1e3
            }
            Self::OnePostcode => latency(target, CONNECTIONS, RATE, length).await.at(0.99),
        }
    }

    async fn begin(self, bench: &Bench) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        match self {
            Self::SilentNames => {
                for number in 0..NEW_SUBSCRIPTIONS {
                    let webhooks = Webhooks::open(&bench.node, NEIGHBOUR).await;
                    tasks.spawn(subscribe_silent_names(webhooks, number));
                }
            }
            Self::Simulations => {
                let receiver = bench.receiver(Manner::Hanging).await;
                let mut webhooks = Webhooks::open(&bench.node, NEIGHBOUR).await;
                for number in 0..SUBSCRIPTIONS {
                    let url = format!("{}/{number}", receiver.callback_url);
                    webhooks.subscribe(&url, "fallthrough").await;
                }
                tasks.spawn(async move {
                    simulate(webhooks).await;
                    drop(receiver);
                });
            }
            Self::OnePostcode => {
                let (tls, token) = bench.node.sign_in(Some(NEIGHBOUR)).await;
                tasks.spawn(ask_for_one_postcode(bench.node.base_address(), tls, token));
            }
        }
        tasks
    }

    /// Removes the subscriptions that the neighbour left.
    async fn clean(self, bench: &Bench) {
        Webhooks::open(&bench.node, NEIGHBOUR)
            .await
            .unsubscribe_all()
            .await;
    }
}

async fn subscribe_silent_names(mut webhooks: Webhooks, number: u32) {
    sleep(SUBSCRIPTION_LIFE * number / NEW_SUBSCRIPTIONS).await;
    let mut due = interval(SUBSCRIPTION_LIFE);
    due.tick().await;
    loop {
        let url = format!("https://{}.example.test/", uuid::Uuid::new_v4());
        let id = webhooks.subscribe(&url, "fallthrough").await;
        due.tick().await;
        webhooks.unsubscribe(&id).await;
    }
}

/// Most of them are refused.
async fn simulate(mut webhooks: Webhooks) {
    let mut due = interval(Duration::from_secs(1) / SIMULATIONS_PER_SECOND);
    let event = json!({"eventType": "fallthrough", "propertyId": "999999999"});
    loop {
        due.tick().await;
        let (status, body) = webhooks
            .try_send(Method::POST, "/simulate", Some(&event))
            .await;
        let body = String::from_utf8_lossy(&body);
        assert!([202, 429].contains(&status), "{status} {body}");
    }
}

async fn ask_for_one_postcode(
    address: std::net::SocketAddr,
    tls: Arc<ClientConfig>,
    token: String,
) {
    let mut form = "inputType=address&rows=1".to_owned();
    for number in 1..=ADDRESSES {
        write!(form, "&value%5B%5D={number}+Benchmark+Street+Leeds+LS1+4AP").unwrap();
    }
    let mut connection = Connection::open_from(2, address, tls).await;
    loop {
        let request = Request::post("/api/v1/standard/chains")
            .header("host", "localhost")
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Full::from(form.clone()))
            .unwrap();
        let (status, body) = connection.send(request).await;
        let body = String::from_utf8_lossy(&body);
        assert!([200, 404, 429].contains(&status), "{status} {body}");
    }
}
