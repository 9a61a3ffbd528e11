//! Measures the speed of the real `onward` program over mutual TLS with kept-alive connections.
//!
//! `cargo bench -p onward` measures everything; `cargo bench -p onward -- NAME` measures one part:
//! `chain_query`, `management`, `deliveries`, `watches` or `hostile`, or its later parts `neighbours`,
//! `people` and `hoarders`.
//! `soak` takes ten minutes (`ONWARD_SOAK_SECONDS`), and `busy_lanes` two; they run only when they are named.
//!
//! `ONWARD_BENCH_LISTINGS` sets the size of the store. `ONWARD_BENCH_SECONDS` and
//! `ONWARD_BENCH_ROUNDS` set the length. `ONWARD_BENCH_STORE` names a PostgreSQL URL to use instead
//! of SQLite.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark stops at the first error and prints its measurements"
)]

#[path = "rates/agent.rs"]
mod agent;
#[path = "rates/busy_lanes.rs"]
mod busy_lanes;
#[path = "rates/chain_query.rs"]
mod chain_query;
#[path = "rates/connection.rs"]
mod connection;
#[path = "rates/deliveries.rs"]
mod deliveries;
#[path = "rates/hoarders.rs"]
mod hoarders;
#[path = "rates/hostile.rs"]
mod hostile;
#[path = "rates/idle.rs"]
mod idle;
#[path = "rates/isolation.rs"]
mod isolation;
#[path = "rates/load.rs"]
mod load;
#[path = "rates/long_queries.rs"]
mod long_queries;
#[path = "rates/management.rs"]
mod management;
#[path = "rates/neighbours.rs"]
mod neighbours;
#[path = "rates/people.rs"]
mod people;
#[path = "rates/process.rs"]
mod process;
#[path = "rates/recorder.rs"]
mod recorder;
#[path = "rates/rows.rs"]
mod rows;
#[path = "rates/soak.rs"]
mod soak;
#[path = "rates/subscriber.rs"]
mod subscriber;
#[path = "rates/watches.rs"]
mod watches;
#[path = "rates/webhooks.rs"]
mod webhooks;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --benches` only checks that this program starts.
    if arguments.iter().any(|argument| argument == "--test") {
        return;
    }
    let named: Vec<_> = arguments
        .iter()
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let is_wanted = |name: &str| named.is_empty() || named.iter().any(|wanted| *wanted == name);
    drop(rustls::crypto::aws_lc_rs::default_provider().install_default());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    if is_wanted("chain_query") {
        runtime.block_on(chain_query::measure());
    }
    if is_wanted("management") {
        runtime.block_on(management::measure());
    }
    if is_wanted("deliveries") {
        runtime.block_on(deliveries::measure());
    }
    if is_wanted("watches") {
        runtime.block_on(watches::measure());
    }
    if is_wanted("hostile") {
        runtime.block_on(hostile::measure());
    }
    if is_wanted("hostile") || is_wanted("neighbours") {
        runtime.block_on(neighbours::measure());
    }
    if is_wanted("hostile") || is_wanted("people") {
        runtime.block_on(people::measure());
    }
    if is_wanted("hostile") || is_wanted("hoarders") {
        runtime.block_on(hoarders::measure());
    }
    if named.iter().any(|wanted| *wanted == "busy_lanes") {
        runtime.block_on(busy_lanes::measure());
    }
    if named.iter().any(|wanted| *wanted == "soak") {
        runtime.block_on(soak::measure());
    }
}

fn engine() -> &'static str {
    if std::env::var_os("ONWARD_BENCH_STORE").is_some() {
        "PostgreSQL"
    } else {
        "SQLite"
    }
}

fn median(values: Vec<f64>) -> f64 {
    percentile(values, 0.5)
}

fn percentile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() as f64 * share) as usize).min(values.len() - 1)]
}

fn read_setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}
