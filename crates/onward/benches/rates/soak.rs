//! Measures whether memory or open files grow: queries at four fifths of the measured peak for a
//! long time, beside idle connections.

use std::time::Duration;

use tokio::time::sleep;

use crate::idle::IdleConnections;
use crate::load::{Target, latency, throughput};
use crate::process::{Node, Settings};
use crate::{engine, read_setting};

const CONNECTIONS: usize = 64;
/// The duration of the run that finds the peak.
const PEAK: Duration = Duration::from_secs(10);

pub(crate) async fn measure() {
    let listings = read_setting("ONWARD_BENCH_LISTINGS", 10_000);
    let length = Duration::from_secs(read_setting("ONWARD_SOAK_SECONDS", 600).max(10));
    let directory = tempfile::tempdir().unwrap();
    let settings = Settings {
        // One token lasts for the whole run, and the server closes no idle connection.
        overrides: &[
            ("TOKEN_LIFETIME_SECONDS", "3600"),
            ("IDLE_TIMEOUT_SECONDS", "3600"),
        ],
        ..Settings::new(directory.path(), listings)
    };
    let node = Node::start(&settings).await;
    let target = Target::open(&node, node.read_uprns()).await;
    throughput(&node, &target, CONNECTIONS, PEAK).await;
    let peak = throughput(&node, &target, CONNECTIONS, PEAK).await;
    let rate = (peak.per_second() * 0.8) as u64;
    println!(
        "soak: {listings} listings on {}, peak {:.0} a second; {rate} a second for {} s",
        engine(),
        peak.per_second(),
        length.as_secs()
    );
    let (tls, _token) = node.sign_in(None).await;
    let idle = IdleConnections::open(&node, tls).await;
    let look = |when: &str| {
        let mebibytes = node.resident_kibibytes() as f64 / 1024.0;
        println!(
            "  {when:<12} {mebibytes:.1} MiB, {} open files",
            node.open_files()
        );
    };
    let watching = async {
        // The first tenth is the warm-up; near the end all connections are still open.
        let early = length.min(Duration::from_mins(10)) / 10;
        sleep(early).await;
        look(&format!("at {} s", early.as_secs()));
        sleep(length.saturating_sub(early + Duration::from_secs(1))).await;
        look(&format!("at {} s", length.as_secs()));
    };
    let (latencies, ()) = tokio::join!(latency(&target, CONNECTIONS, rate, length), watching);
    println!("  {latencies}");
    idle.close(&node).await;
    node.stop().await;
}
