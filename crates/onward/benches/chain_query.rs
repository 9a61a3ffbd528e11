//! How fast the chain query is: the real binary, driven over kept-alive mTLS.
//!
//! Everything is measured in one run, because machines differ and are shared:
//! the library's own signing rate on one core, answers that are all signed
//! anew (cold), answers whose signature is reused (warm), latency at a fixed
//! rate, and memory. Rates are per CPU second of the server process.
//!
//! `ONWARD_BENCH_LISTINGS` sets the store's size, `ONWARD_BENCH_SECONDS` the
//! length of each part, `ONWARD_BENCH_STORE` a PostgreSQL URL to use instead of
//! SQLite.

mod load;

use std::time::Duration;

use load::process::{Node, Settings, own_cpu_seconds};
use load::{Figures, Target, latency, throughput};
use signing::algorithm::Algorithm;
use signing::key::{RsaSize, SigningKey};

/// Kept-alive connections that ask at once.
const CONNECTIONS: usize = 16;
/// Properties that a warm run asks for again and again.
const WARM_PROPERTIES: usize = 200;

fn main() {
    // `cargo test --benches` only wants to know that this builds.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    drop(rustls::crypto::aws_lc_rs::default_provider().install_default());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(measure());
}

async fn measure() {
    let listings = read_setting("ONWARD_BENCH_LISTINGS", 10_000);
    let seconds = Duration::from_secs(read_setting("ONWARD_BENCH_SECONDS", 5));
    let directory = tempfile::tempdir().unwrap();
    let store = std::env::var("ONWARD_BENCH_STORE").ok();
    let engine = if store.is_some() {
        "PostgreSQL"
    } else {
        "SQLite"
    };
    println!("chain query, {listings} listings on {engine}, {CONNECTIONS} connections");

    let signing_rate = measure_signing(seconds);
    println!(
        "{:<46}{signing_rate:>9.0} /CPU s",
        "RSA-2048 signatures of the library, one core"
    );

    let settings = Settings {
        directory: directory.path(),
        listings,
        store,
        overrides: &[
            ("SIGNATURE_REUSE_SECONDS", "0"),
            ("DOCUMENT_CACHE_MEBIBYTES", "1"),
        ],
    };
    let node = Node::start(&settings).await;
    let all = node.read_uprns();
    let target = Target::open(&node, all.clone()).await;
    let built = throughput(&node, &target, CONNECTIONS, seconds).await;
    show(
        "cold: document built and signed each time",
        &built,
        signing_rate,
    );
    let slow = latency(&target, CONNECTIONS, 150, seconds).await;
    println!("{:<46}{slow}", "  latency at 150 a second");
    node.stop().await;

    let overrides = [("SIGNATURE_REUSE_SECONDS", "0")];
    let node = Node::start(&Settings {
        overrides: &overrides,
        ..settings.clone()
    })
    .await;
    let target = Target::open(&node, all.clone()).await;
    throughput(&node, &target, CONNECTIONS, seconds).await;
    let cold = throughput(&node, &target, CONNECTIONS, seconds).await;
    show(
        "cold: document cached, signed each time",
        &cold,
        signing_rate,
    );
    node.stop().await;

    let node = Node::start(&Settings {
        overrides: &[],
        ..settings
    })
    .await;
    let few = all.into_iter().take(WARM_PROPERTIES).collect();
    let target = Target::open(&node, few).await;
    throughput(&node, &target, CONNECTIONS, Duration::from_secs(2)).await;
    let warm = throughput(&node, &target, CONNECTIONS, seconds).await;
    show("warm: signature reused", &warm, signing_rate);
    let quick = latency(&target, CONNECTIONS, 1_000, seconds).await;
    println!("{:<46}{quick}", "  latency at 1,000 a second");
    println!("{:<46}{}", "memory of the server", node.memory());
    node.stop().await;

    println!(
        "cold is {:.0} % of the signing rate (all built: {:.0} %); warm is {:.1} times cold ({:.1} times)",
        100.0 * cold.per_cpu_second() / signing_rate,
        100.0 * built.per_cpu_second() / signing_rate,
        warm.per_cpu_second() / cold.per_cpu_second(),
        warm.per_cpu_second() / built.per_cpu_second(),
    );
}

fn show(name: &str, figures: &Figures, signing_rate: f64) {
    println!(
        "{name:<46}{:>9.0} /CPU s  {:>7.0} /s  {:>6.0} µs CPU each  {:>5.2} of signing",
        figures.per_cpu_second(),
        figures.per_second(),
        1e6 / figures.per_cpu_second(),
        figures.per_cpu_second() / signing_rate,
    );
}

/// Signatures of a typical answer's size per CPU second of one thread.
fn measure_signing(seconds: Duration) -> f64 {
    let key = SigningKey::generate_rsa(Algorithm::Rs256, RsaSize::Bits2048).unwrap();
    let message = vec![b'x'; 4300];
    let begun = own_cpu_seconds();
    let mut count = 0.0;
    while own_cpu_seconds() - begun < seconds.as_secs_f64() {
        for _signature in 0..50 {
            key.sign(&message).unwrap();
            count += 1.0;
        }
    }
    count / (own_cpu_seconds() - begun)
}

fn read_setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}
