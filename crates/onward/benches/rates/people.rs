//! Measures a client that reads while a progressor of the console asks for expensive lists at once, in
//! turns, because other load on the machine should affect both alike. All listings are of one branch.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use generate::{GenerateOptions, generate};
use reqwest::header::{COOKIE, LOCATION, ORIGIN, SET_COOKIE};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::load::{Latencies, Target, latency, now};
use crate::process::{Node, Settings};
use crate::{hostile, median, read_setting};

/// Listings of the progressor's branch.
const LISTINGS: u64 = 20_000;
/// Lists that the progressor asks for at once.
const LISTS_AT_ONCE: usize = 8;
/// The client's connections and requests a second.
const CONNECTIONS: usize = 8;
const RATE: u64 = 200;
/// The lists, some with a search or a filter.
const LISTS: [&str; 6] = [
    "/chains?q=zzzz",
    "/chains",
    "/chains?stuck=1",
    "/chains?ends=open&stage=completion",
    "/changes",
    "/chase",
];
/// How often each list is asked for alone.
const TIMES: usize = 9;

/// A progressor who is signed in.
#[derive(Clone)]
struct Progressor {
    http: reqwest::Client,
    origin: String,
    cookie: String,
}

pub(crate) async fn measure() {
    let length = Duration::from_secs(read_setting("ONWARD_BENCH_SECONDS", 5));
    let rounds = read_setting("ONWARD_BENCH_ROUNDS", 5);
    let listings = read_setting("ONWARD_BENCH_BRANCH_LISTINGS", LISTINGS);
    let directory = tempfile::tempdir().unwrap();
    write_one_branch(directory.path(), listings);
    let limits: &[(&str, &str)] = &[
        ("RATE_LIMIT_PER_SECOND", "1000"),
        ("RATE_LIMIT_BURST", "3000"),
    ];
    let unlimited = Settings::new(directory.path(), listings);
    println!("lists of a progressor whose branch has {listings} listings, each alone");
    let node = Node::start(&unlimited).await;
    time_lists(&Progressor::sign_in(&node).await).await;
    node.stop().await;
    let settings = Settings {
        overrides: limits,
        ..unlimited
    };
    let node = Node::start(&settings).await;
    let target = Target::open(&node, node.read_uprns()).await;
    let progressor = Progressor::sign_in(&node).await;
    latency(&target, CONNECTIONS, RATE, length).await;
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for _round in 0..rounds {
        alone.push(latency(&target, CONNECTIONS, RATE, length).await);
        let attack = progressor.ask_at_once();
        sleep(Duration::from_millis(100)).await;
        beside.push(latency(&target, CONNECTIONS, RATE, length).await);
        drop(attack);
        sleep(Duration::from_secs(1)).await;
    }
    println!("a client that asks {RATE} times a second, beside that progressor");
    let at = |all: &[Latencies], share| median(all.iter().map(|seen| seen.at(share)).collect());
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let [quiet, attacked] = [&alone, &beside].map(|all| at(all, share));
        println!("{:<42} {name} {:.1} ms", "a client alone", quiet * 1e3);
        hostile::judge("beside eight lists at once", name, attacked, quiet);
    }
    node.stop().await;
}

/// Makes up listings, and gives all of them to one branch. The sandbox loads the file.
fn write_one_branch(directory: &Path, listings: u64) {
    let options = GenerateOptions {
        listings: Some(listings),
        ..GenerateOptions::default()
    };
    let mut made = Vec::new();
    generate(&options, &mut made).unwrap();
    let made = String::from_utf8(made).unwrap();
    let branches: HashSet<&str> = made
        .lines()
        .take_while(|line| line.starts_with("{\"type\":\"branch\""))
        .filter_map(|line| line.split('"').nth(7))
        .collect();
    let mut lines = made.lines().skip(branches.len() - 1);
    let mut own = String::with_capacity(made.len());
    for line in &mut lines {
        let mut parts = line.split('"').map(|part| {
            if branches.contains(part) {
                "BR00001"
            } else {
                part
            }
        });
        own.push_str(parts.next().unwrap());
        for part in parts {
            own.push('"');
            own.push_str(part);
        }
        own.push('\n');
    }
    std::fs::write(directory.join("sample.ndjson"), own).unwrap();
}

async fn time_lists(progressor: &Progressor) {
    for path in LISTS {
        let mut seconds = Vec::new();
        for _time in 0..TIMES {
            let begun = now();
            assert_eq!(progressor.get(path).await, 200, "{path}");
            seconds.push(begun.elapsed().as_secs_f64());
        }
        println!("  {path:<40} {:.1} ms", median(seconds) * 1e3);
    }
}

impl Progressor {
    async fn sign_in(node: &Node) -> Self {
        let entry = reqwest::Url::parse(node.console_url()).unwrap();
        let origin = entry.origin().ascii_serialization();
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        let form = [("person", "1"), ("idempotency_key", "enter")];
        let request = http.post(entry).header(ORIGIN, &origin).form(&form);
        let answer = request.send().await.unwrap();
        assert_eq!(answer.headers()[LOCATION], "/");
        let cookie = answer.headers()[SET_COOKIE].to_str().unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        Self {
            http,
            origin,
            cookie,
        }
    }

    async fn get(&self, path: &str) -> u16 {
        let request = self.http.get(format!("{}{path}", self.origin));
        let answer = request.header(COOKIE, &self.cookie).send().await.unwrap();
        let status = answer.status().as_u16();
        answer.bytes().await.unwrap();
        status
    }

    /// Most of the lists are refused.
    fn ask_at_once(&self) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        for _list in 0..LISTS_AT_ONCE {
            let progressor = self.clone();
            tasks.spawn(async move {
                loop {
                    let status = progressor.get(LISTS[0]).await;
                    assert!([200, 429].contains(&status), "{status}");
                }
            });
        }
        tasks
    }
}
