//! Measures the chain query.
//!
//! One run measures everything, because machines differ and are shared: the signing rate of the
//! cryptographic library on one core, newly signed answers (cold), answers with a reused signature
//! (warm), latency at a fixed rate, and memory. Rates are per CPU second of the server process.

use std::path::Path;
use std::time::Duration;

use signing::algorithm::Algorithm;
use signing::key::{RsaSize, SigningKey};

use crate::load::{Target, latency, throughput};
use crate::process::{Node, Settings, own_cpu_seconds};
use crate::{engine, median, read_setting};

/// Kept-alive connections that send requests at once.
const CONNECTIONS: usize = 64;
/// The properties that a warm run requests again and again.
const WARM_PROPERTIES: usize = 200;

pub(crate) async fn measure() {
    let listings = read_setting("ONWARD_BENCH_LISTINGS", 10_000);
    let seconds = Duration::from_secs(read_setting("ONWARD_BENCH_SECONDS", 2));
    let rounds = read_setting("ONWARD_BENCH_ROUNDS", 5);
    println!(
        "chain query, {listings} listings on {}, {CONNECTIONS} connections",
        engine()
    );

    // Three servers share one store and run all the time. Only the server that receives requests is
    // measured.
    let directory = tempfile::tempdir().unwrap();
    let mut parts = start_parts(directory.path(), listings).await;
    for part in &parts[1..] {
        throughput(&part.node, &part.target, CONNECTIONS, 2 * seconds).await;
    }
    // In rounds, so that other load on the machine affects every part alike.
    let cores = std::thread::available_parallelism().unwrap().get();
    let mut alone = Vec::new();
    let mut together = Vec::new();
    for _round in 0..rounds {
        alone.push(measure_signing(1, seconds / 2));
        together.push(measure_signing(cores, seconds / 2));
        for part in &mut parts {
            let figures = throughput(&part.node, &part.target, CONNECTIONS, seconds).await;
            part.rates.push(figures.per_cpu_second());
            part.wall_rates.push(figures.per_second());
        }
    }
    report(&alone, &together, &parts);
    for part in &parts {
        let latencies = latency(&part.target, CONNECTIONS, part.fixed_rate, 2 * seconds).await;
        println!(
            "{:<42} {latencies} at {} a second",
            part.name, part.fixed_rate
        );
    }
    println!("memory of the warm server: {}", parts[2].node.memory());
    for part in parts {
        part.node.stop().await;
    }
}

/// Starts three nodes on one new store of so many listings, one for each way of serving.
async fn start_parts(directory: &Path, listings: u64) -> [Part; 3] {
    let settings = Settings {
        overrides: &[
            ("SIGNATURE_REUSE_SECONDS", "0"),
            ("DOCUMENT_CACHE_MEBIBYTES", "1"),
        ],
        ..Settings::new(directory, listings)
    };
    let built = Node::start(&settings).await;
    let all = built.read_uprns();
    let few = all.iter().copied().take(WARM_PROPERTIES).collect();
    let cold = built
        .start_beside(&[("SIGNATURE_REUSE_SECONDS", "0")])
        .await;
    let warm = built.start_beside(&[]).await;
    [
        Part::new(
            "cold: document built and signed each time",
            built,
            all.clone(),
            150,
        )
        .await,
        Part::new("cold: document cached, signed each time", cold, all, 150).await,
        Part::new("warm: signature reused", warm, few, 1_000).await,
    ]
}

/// One way of serving, and its measurements.
struct Part {
    name: &'static str,
    node: Node,
    target: Target,
    fixed_rate: u64,
    rates: Vec<f64>,
    wall_rates: Vec<f64>,
}

impl Part {
    async fn new(name: &'static str, node: Node, uprns: Vec<u64>, fixed_rate: u64) -> Self {
        let target = Target::open(&node, uprns).await;
        Self {
            name,
            node,
            target,
            fixed_rate,
            rates: Vec::new(),
            wall_rates: Vec::new(),
        }
    }
}

/// Prints the medians of all rounds and of the ratios within each round. Processors that share a
/// core sign slower when all of them sign. The server keeps all of them busy, so it is compared
/// with one core alone and with all together.
fn report(alone: &[f64], together: &[f64], parts: &[Part; 3]) {
    let ratios = |above: &[f64], below: &[f64]| {
        median(
            above
                .iter()
                .zip(below)
                .map(|(above, below)| above / below)
                .collect(),
        )
    };
    let [built, cold, warm] = parts;
    for (name, rates) in [
        ("RSA-2048 signatures, one thread", alone),
        ("RSA-2048 signatures, a thread for each core", together),
    ] {
        println!("{name:<44}{:>7.0} /CPU s", median(rates.to_vec()));
    }
    for part in parts {
        let rate = median(part.rates.clone());
        println!(
            "{:<44}{rate:>7.0} /CPU s {:>7.0} /s {:>6.0} µs CPU each, {:.2} / {:.2} of signing",
            part.name,
            median(part.wall_rates.clone()),
            1e6 / rate,
            ratios(&part.rates, alone),
            ratios(&part.rates, together),
        );
    }
    println!(
        "warm is {:.1} times cold ({:.1} times where documents are built as well)",
        ratios(&warm.rates, &cold.rates),
        ratios(&warm.rates, &built.rates),
    );
}

/// Measures signatures of a typical answer's size per CPU second, made by this many threads.
fn measure_signing(threads: usize, length: Duration) -> f64 {
    let key = SigningKey::generate_rsa(Algorithm::Rs256, RsaSize::Bits2048).unwrap();
    let message = vec![b'x'; 4300];
    let cpu_before = own_cpu_seconds();
    let stopwatch = observe::clock::Stopwatch::start();
    let count: u32 = std::thread::scope(|scope| {
        let sign = || {
            let mut count = 0;
            while stopwatch.elapsed() < length {
                key.sign(&message).unwrap();
                count += 1;
            }
            count
        };
        let signers: Vec<_> = (0..threads).map(|_| scope.spawn(sign)).collect();
        signers
            .into_iter()
            .map(|signer| signer.join().unwrap())
            .sum()
    });
    f64::from(count) / (own_cpu_seconds() - cpu_before)
}
