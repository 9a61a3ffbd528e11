//! Measures the latency of a well-behaved client while others attack the server, and beside idle
//! connections.
//!
//! The client sends requests at a fixed rate from one address. The attackers use other addresses,
//! as real ones do, and the server has its default limits. Quiet rounds and rounds under each
//! attack alternate, because other load on the machine affects all of them. Attackers and server
//! share the processors.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rustls::{ClientConfig, ClientConnection};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;
use tokio::time::{interval, sleep, timeout};

use crate::connection::{Connection, connect_from, shake_hands};
use crate::idle::IdleConnections;
use crate::load::{Latencies, Target, latency, now};
use crate::process::{Node, Settings};
use crate::{long_queries, median, read_setting};

/// Requests a second of the well-behaved client.
const RATE: u64 = 200;
const CONNECTIONS: usize = 8;
/// Requests a second that a client may send; a burst may have twice as many.
const LIMIT: u64 = 300;
/// Requests a second of the client over its limit, on several connections.
const PAST_LIMIT_PER_SECOND: u32 = 2_000;
const PAST_LIMIT_CONNECTIONS: u32 = 16;
const BAD_HANDSHAKES_PER_SECOND: u64 = 1_000;
/// Slightly fewer connections than one address may open by default.
const SLOW_CONNECTIONS: u32 = 990;
/// Connections with answers that nobody reads.
const UNREAD_CONNECTIONS: u32 = 200;
/// Connections of a client with long queries.
const LONG_CONNECTIONS: u32 = 16;
/// Peers that repeatedly send too much.
const OVERSIZED_CONNECTIONS: u32 = 16;
/// As many as a line of 800 Mbit/s carries.
const OVERSIZED_PER_SECOND: u32 = 24;
/// The size of a header or body that is too large for any request, in bytes.
const OVERSIZED: usize = 4 * 1024 * 1024;
/// The greatest factor by which p99 may grow under attack.
const BOUND: f64 = 2.0;

/// The kinds of attack.
#[derive(Clone, Copy)]
enum Attack {
    /// Handshakes that the server begins and the client never completes.
    BadHandshakes,
    /// Requests with a header that arrives one byte a second.
    Slowloris,
    /// Connections that never send anything.
    HalfOpen,
    /// Headers and bodies of several megabytes, in turns.
    Oversized,
    /// Queries of another client far over its limit.
    PastLimit,
    /// Queries of another client with long answers, of which it reads almost nothing.
    Unread,
    /// Queries of another client by 100 addresses, one after the other.
    Addresses,
    /// Queries of another client for 100 chains, one after the other.
    Chains,
}

const ATTACKS: [Attack; 8] = [
    Attack::BadHandshakes,
    Attack::Slowloris,
    Attack::HalfOpen,
    Attack::Oversized,
    Attack::PastLimit,
    Attack::Unread,
    Attack::Addresses,
    Attack::Chains,
];

/// The running tasks of an attack.
struct Attackers {
    tasks: JoinSet<()>,
    stop: Arc<AtomicBool>,
    done: Arc<AtomicU64>,
}

/// The state that the tasks of an attack share.
#[derive(Clone)]
struct Scene {
    address: SocketAddr,
    /// The TLS settings of another client than the well-behaved one.
    tls: Arc<ClientConfig>,
    token: Arc<str>,
    uprns: Arc<[u64]>,
    stop: Arc<AtomicBool>,
    done: Arc<AtomicU64>,
}

pub(crate) async fn measure() {
    let seconds = Duration::from_secs(read_setting("ONWARD_BENCH_SECONDS", 5));
    let rounds = read_setting("ONWARD_BENCH_ROUNDS", 3);
    let directory = tempfile::tempdir().unwrap();
    let listings = read_setting("ONWARD_BENCH_LISTINGS", 1_000);
    let settings = Settings {
        overrides: &[
            ("RATE_LIMIT_PER_SECOND", &LIMIT.to_string()),
            ("RATE_LIMIT_BURST", &(2 * LIMIT).to_string()),
        ],
        ..Settings::new(directory.path(), listings)
    };
    let node = Node::start(&settings).await;
    let target = Target::open(&node, node.read_uprns()).await;
    let (tls, token) = node.sign_in(Some("Example Platform")).await;
    let scene = Scene {
        address: node.base_address(),
        tls: Arc::clone(&tls),
        token: token.into(),
        uprns: node.read_uprns().into(),
        stop: Arc::default(),
        done: Arc::default(),
    };
    println!("hostile peers, beside a client that asks {RATE} times a second");
    latency(&target, CONNECTIONS, RATE, seconds).await;
    let mut quiet = Vec::new();
    let mut attacked = ATTACKS.map(|_attack| Vec::new());
    for _round in 0..rounds {
        quiet.push(latency(&target, CONNECTIONS, RATE, seconds).await);
        for (attack, seen) in ATTACKS.into_iter().zip(&mut attacked) {
            let attackers = Attackers::begin(attack, &scene);
            sleep(Duration::from_secs(2)).await;
            let (cpu, begun, done) = (node.cpu_seconds(), now(), attackers.done());
            seen.push(latency(&target, CONNECTIONS, RATE, seconds).await);
            let wall = begun.elapsed().as_secs_f64();
            println!(
                "  {:<42} {:>5.0} a second, the server takes {:.2} CPUs",
                attack.describe(),
                (attackers.done() - done) as f64 / wall,
                (node.cpu_seconds() - cpu) / wall
            );
            println!("  {:<42} memory of the server: {}", "", node.memory());
            attackers.end().await;
        }
    }
    let quiet = p99(&quiet);
    println!("{:<42} p99 {:.1} ms", "quiet", quiet * 1e3);
    for (attack, seen) in ATTACKS.into_iter().zip(&attacked) {
        judge(attack.describe(), "p99", p99(seen), quiet);
    }
    let idle = IdleConnections::open(&node, tls).await;
    let mut beside = Vec::new();
    for _round in 0..rounds {
        beside.push(latency(&target, CONNECTIONS, RATE, seconds).await);
    }
    judge("idle connections", "p99", p99(&beside), quiet);
    idle.close(&node).await;
    node.stop().await;
}

/// The median p99 of the rounds.
fn p99(rounds: &[Latencies]) -> f64 {
    median(rounds.iter().map(|seen| seen.at(0.99)).collect())
}

/// Prints a percentile under attack, in seconds, and whether it is within the bound.
pub(crate) fn judge(name: &str, percentile: &str, attacked: f64, quiet: f64) {
    let ratio = attacked / quiet;
    let verdict = if ratio <= BOUND { "within" } else { "PAST" };
    println!(
        "{name:<42} {percentile} {:.1} ms, {ratio:.2} times the quiet one: {verdict} the bound of {BOUND}",
        attacked * 1e3
    );
}

impl Attack {
    fn describe(self) -> &'static str {
        match self {
            Self::BadHandshakes => "handshakes answered and left",
            Self::Slowloris => "slowloris, connections opened anew",
            Self::HalfOpen => "silent connections, opened anew",
            Self::Oversized => "headers and bodies of 4 MiB",
            Self::PastLimit => "another client far past its limit",
            Self::Unread => "another client that leaves answers unread",
            Self::Addresses => "another client that asks for 100 addresses",
            Self::Chains => "another client that asks for 100 chains",
        }
    }
}

impl Attackers {
    fn begin(attack: Attack, scene: &Scene) -> Self {
        let mut tasks = JoinSet::new();
        let scene = Scene {
            stop: Arc::default(),
            done: Arc::default(),
            ..scene.clone()
        };
        match attack {
            Attack::BadHandshakes => {
                begin(&mut tasks, 1, |_number| spoil_handshakes(scene.clone()));
            }
            Attack::Slowloris => begin(&mut tasks, SLOW_CONNECTIONS, |_number| drip(scene.clone())),
            Attack::HalfOpen => begin(&mut tasks, SLOW_CONNECTIONS, |_number| {
                say_nothing(scene.clone())
            }),
            Attack::Oversized => begin(&mut tasks, OVERSIZED_CONNECTIONS, |number| {
                send_too_much(scene.clone(), number)
            }),
            Attack::Unread => begin(&mut tasks, UNREAD_CONNECTIONS, |_number| {
                leave_unread(scene.clone())
            }),
            Attack::PastLimit => begin(&mut tasks, PAST_LIMIT_CONNECTIONS, |_number| {
                ask_too_often(scene.clone())
            }),
            Attack::Addresses => begin(&mut tasks, LONG_CONNECTIONS, |_number| {
                ask_for_much(scene.clone(), long_queries::of_addresses())
            }),
            Attack::Chains => begin(&mut tasks, LONG_CONNECTIONS, |_number| {
                ask_for_much(scene.clone(), long_queries::of_chains(&scene.uprns))
            }),
        }
        Self {
            tasks,
            stop: scene.stop,
            done: scene.done,
        }
    }

    fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    async fn end(mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.tasks.shutdown().await;
        // The server notices that its connections end.
        sleep(Duration::from_millis(500)).await;
    }
}

/// Spawns so many tasks of an attack.
fn begin<F>(tasks: &mut JoinSet<()>, count: u32, task: impl Fn(u32) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    for number in 0..count {
        tasks.spawn(task(number));
    }
}

/// Sends the same valid first message again and again and disconnects after the server's answer. It
/// costs the attacker nothing and the server a signature.
async fn spoil_handshakes(scene: Scene) {
    let name = "localhost".try_into().unwrap();
    let mut client = ClientConnection::new(Arc::clone(&scene.tls), name).unwrap();
    let mut hello = Vec::new();
    client.write_tls(&mut hello).unwrap();
    let hello: Arc<[u8]> = hello.into();
    let mut due = interval(Duration::from_millis(10));
    while !scene.stop.load(Ordering::Relaxed) {
        due.tick().await;
        for number in 0..BAD_HANDSHAKES_PER_SECOND / 100 {
            let (scene, hello) = (scene.clone(), Arc::clone(&hello));
            tokio::spawn(async move {
                let from = u8::try_from(2 + number).unwrap();
                let Ok(mut stream) = connect_from(from, scene.address).await else {
                    return;
                };
                let mut part = [0; 4096];
                let answered = async {
                    stream.write_all(&hello).await?;
                    stream.read(&mut part).await
                };
                if let Ok(Ok(1..)) = timeout(Duration::from_secs(5), answered).await {
                    scene.done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    }
}

/// Sends a header that never ends, and reconnects whenever the server closes the connection.
async fn drip(scene: Scene) {
    let begin = b"POST /api/v1/standard/chains HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";
    while !scene.stop.load(Ordering::Relaxed) {
        let Ok(mut stream) = shake_hands(2, scene.address, &scene.tls).await else {
            sleep(Duration::from_secs(1)).await;
            continue;
        };
        scene.done.fetch_add(1, Ordering::Relaxed);
        let mut next: &[u8] = begin;
        while stream.write_all(next).await.is_ok() && stream.flush().await.is_ok() {
            next = b"x";
            sleep(Duration::from_secs(1)).await;
        }
    }
}

/// Keeps a silent connection open until the server closes it.
async fn say_nothing(scene: Scene) {
    while !scene.stop.load(Ordering::Relaxed) {
        let Ok(mut stream) = connect_from(2, scene.address).await else {
            sleep(Duration::from_secs(1)).await;
            continue;
        };
        scene.done.fetch_add(1, Ordering::Relaxed);
        drop(stream.read(&mut [0]).await);
    }
}

/// Sends a request that is too large until the server refuses it, and repeats a tenth of a second
/// later.
async fn send_too_much(scene: Scene, number: u32) {
    // Each turn sends two requests.
    let turn = Duration::from_secs(2) * OVERSIZED_CONNECTIONS / OVERSIZED_PER_SECOND;
    sleep(turn * number / OVERSIZED_CONNECTIONS).await;
    let mut due = interval(turn);
    let (header, body) = (
        "GET /api/v1/standard/chains HTTP/1.1\r\nHost: localhost\r\nX-Large: ".to_owned(),
        format!(
            "POST /api/v1/standard/chains HTTP/1.1\r\nHost: localhost\r\nContent-Length: {OVERSIZED}\r\n\r\n"
        ),
    );
    let part = [b'x'; 16 * 1024];
    while !scene.stop.load(Ordering::Relaxed) {
        due.tick().await;
        for begin in [&header, &body] {
            let Ok(mut stream) = shake_hands(2, scene.address, &scene.tls).await else {
                break;
            };
            let sent = async {
                stream.write_all(begin.as_bytes()).await?;
                for _part in 0..OVERSIZED / part.len() {
                    stream.write_all(&part).await?;
                }
                stream.flush().await
            };
            drop(timeout(Duration::from_secs(1), sent).await);
            scene.done.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Asks for 100 chains, reads 16 KiB of the answer each second, and asks again on a new connection
/// when the server closes this one.
async fn leave_unread(scene: Scene) {
    let form = long_queries::of_chains(&scene.uprns);
    let request = format!(
        "POST /api/v1/standard/chains HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
        scene.token,
        form.len()
    );
    let mut part = [0; 16 * 1024];
    while !scene.stop.load(Ordering::Relaxed) {
        let Ok(mut stream) = shake_hands(2, scene.address, &scene.tls).await else {
            sleep(Duration::from_secs(1)).await;
            continue;
        };
        if stream.write_all(request.as_bytes()).await.is_err() {
            continue;
        }
        scene.done.fetch_add(1, Ordering::Relaxed);
        while let Ok(1..) = stream.read(&mut part).await {
            sleep(Duration::from_secs(1)).await;
        }
    }
}

/// Sends requests although the server answers with 429.
async fn ask_too_often(scene: Scene) {
    let tls = Arc::clone(&scene.tls);
    let mut connection = Connection::open_from(2, scene.address, tls).await;
    let own = PAST_LIMIT_PER_SECOND / PAST_LIMIT_CONNECTIONS;
    let mut due = interval(Duration::from_secs(1) / own);
    while !scene.stop.load(Ordering::Relaxed) {
        due.tick().await;
        let (status, _body) = connection.ask(&scene.token, 1).await;
        // No property has this UPRN.
        assert!([404, 429].contains(&status), "{status}");
        if status == 429 {
            scene.done.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Sends the same long query again as soon as its answer is read.
async fn ask_for_much(scene: Scene, form: String) {
    let tls = Arc::clone(&scene.tls);
    let mut connection = Connection::open_from(2, scene.address, tls).await;
    while !scene.stop.load(Ordering::Relaxed) {
        let (status, _body) = connection.ask_form(&scene.token, form.clone()).await;
        assert!([200, 404, 429].contains(&status), "{status}");
        if status == 429 {
            sleep(Duration::from_millis(20)).await;
        } else {
            scene.done.fetch_add(1, Ordering::Relaxed);
        }
    }
}
