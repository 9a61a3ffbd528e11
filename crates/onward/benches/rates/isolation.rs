//! Measures whether failing subscribers slow down a healthy one (S-36).

use std::time::Duration;

use crate::deliveries::{Bench, STEADY_RATE, latencies};
use crate::subscriber::Manner;
use crate::{median, percentile};

/// The manners of the failing subscribers; each has more than 10,000 pending deliveries.
const TROUBLED: [Manner; 3] = [Manner::Hanging, Manner::Dripping, Manner::Dead];
/// The time for the server to settle after a round.
const CALM: Duration = Duration::from_secs(1);

/// Measures one subscriber alone and beside the failing ones, in turns, because other load on the
/// machine should affect both alike.
pub(crate) async fn measure(bench: &mut Bench, rounds: u64, length: Duration) {
    let mut alone = Vec::new();
    let mut beside = Vec::new();
    let mut ratios = Vec::new();
    let mut pending = 0;
    for _round in 0..rounds {
        let first = receive_steadily(bench, length).await;
        let troubled = bench.subscribe(&TROUBLED).await;
        pending = bench.replay(&troubled).await / TROUBLED.len();
        let second = receive_steadily(bench, length).await;
        bench.unsubscribe(troubled).await;
        tokio::time::sleep(CALM).await;
        ratios.push(percentile(second.clone(), 0.99) / percentile(first.clone(), 0.99));
        alone.extend(first);
        beside.extend(second);
    }
    let report = |name: &str, latencies: &[f64]| {
        println!(
            "{name:<72} p50 {:>5.1} ms  p99 {:>5.1} ms",
            median(latencies.to_vec()),
            percentile(latencies.to_vec(), 0.99)
        );
    };
    report(
        &format!("  1 subscriber at {STEADY_RATE} events a second, alone"),
        &alone,
    );
    report(
        &format!("  1 beside a hanging, a dripping and a dead one, {pending} pending for each"),
        &beside,
    );
    println!(
        "p99 beside them is {:.2} times that alone ({:.2} in the median round)",
        percentile(beside, 0.99) / percentile(alone, 0.99),
        median(ratios)
    );
}

/// Sends events to one healthy subscriber at a steady rate; the times from commit to receipt, in
/// milliseconds.
pub(crate) async fn receive_steadily(bench: &mut Bench, length: Duration) -> Vec<f64> {
    let mut audience = bench.subscribe(&[Manner::Healthy]).await;
    bench.warm_up(&mut audience).await;
    let recorded = bench.recorder.record_steadily(STEADY_RATE, length).await;
    let receipts = audience.receive(recorded.len()).await;
    bench.unsubscribe(audience).await;
    latencies(&recorded, &receipts)
}
