//! The metrics of this process, most of them under the names that Prometheus' client libraries share.

use std::fmt;
use std::fs;

use observe::telemetry::lost_lines;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

/// The unit of times in `/proc`, per second. Linux shows them to programs in this unit everywhere.
const TICKS_PER_SECOND: f64 = 100.0;

/// Reads `/proc/self` at each scrape. A figure that cannot be read is left out.
#[derive(Debug)]
pub(crate) struct ProcessMetrics;

impl Collector for ProcessMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let times = read_times();
        if let Some((used, _started)) = times {
            let (name, help) = ("process_cpu_seconds", "Seconds of processor time used");
            let counter = ConstCounter::new(used);
            counter.encode(encoder.encode_descriptor(
                name,
                help,
                None,
                counter.metric_type(),
            )?)?;
        }
        let (name, help) = (
            "onward_log_lines_lost",
            "Log lines that nobody read in time",
        );
        let lost = ConstCounter::new(lost_lines());
        lost.encode(encoder.encode_descriptor(name, help, None, lost.metric_type())?)?;
        let gauges = [
            (
                "process_start_time_seconds",
                "When the process started, in Unix seconds",
                times.map(|(_used, started)| started),
            ),
            (
                "process_resident_memory_bytes",
                "Bytes of memory in use",
                read_status("VmRSS:").map(|kibibytes| kibibytes * 1024.0),
            ),
            ("process_open_fds", "Open files", count_open_files()),
            (
                "process_max_fds",
                "Files that the process may open",
                read_limit("Max open files"),
            ),
        ];
        for (name, help, value) in gauges {
            if let Some(value) = value {
                let gauge = ConstGauge::new(value);
                gauge.encode(encoder.encode_descriptor(
                    name,
                    help,
                    None,
                    gauge.metric_type(),
                )?)?;
            }
        }
        Ok(())
    }
}

/// The seconds of processor time used, and the start in Unix seconds (proc(5)).
fn read_times() -> Option<(f64, f64)> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program may contain blanks. The third field follows it.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let seconds = |field: usize| {
        let ticks = fields.get(field - 3)?.parse::<f64>().ok()?;
        Some(ticks / TICKS_PER_SECOND)
    };
    let system = fs::read_to_string("/proc/stat").ok()?;
    let booted = system
        .lines()
        .find_map(|line| line.strip_prefix("btime "))?;
    Some((
        seconds(14)? + seconds(15)?,
        booted.trim().parse::<f64>().ok()? + seconds(22)?,
    ))
}

fn read_status(name: &str) -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let value = status.lines().find_map(|line| line.strip_prefix(name))?;
    value.split_whitespace().next()?.parse().ok()
}

fn read_limit(name: &str) -> Option<f64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let value = limits.lines().find_map(|line| line.strip_prefix(name))?;
    value.split_whitespace().next()?.parse().ok()
}

/// How many files this process may open.
pub(crate) fn allowed_files() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let value = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"))?;
    value.split_whitespace().next()?.parse().ok()
}

fn count_open_files() -> Option<f64> {
    let count = fs::read_dir("/proc/self/fd").ok()?.count();
    u32::try_from(count).ok().map(f64::from)
}
