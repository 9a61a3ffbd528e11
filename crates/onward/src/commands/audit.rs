//! `onward audit`: compares all sealed versions and logs with what they should be.

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use observe::clock::{Clock, Stopwatch, to_rfc3339};
use serde_json::json;
use server::foundation::Foundation;
use state_log::audit::Report;
use storage::Opening;
use storage::erasures::Erasure;

use super::audit_log::read_time;
use super::{ConfigArgs, Failure, say, say_json};

/// Proves that the store has all versions that it ever gave, and that its logs prove them.
///
/// It makes the root of each log again from its entries, opens each sealed version and compares it with its
/// entry, looks for gaps, and renders each present version again. It runs beside the service, and leaves the time
/// and the number of faults for the log. The status is 1 if it finds a fault. Entries that a restore lost, as the
/// next log says, are notes.
#[derive(Debug, Args)]
pub struct AuditArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Opens only the versions from this time on: a date in UTC, or 2026-11-01T09:30:00Z. The logs are read
    /// whole.
    #[arg(long, value_name = "TIME", value_parser = read_time)]
    since: Option<i64>,
    /// Prints the report as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs `onward audit`. It fails if it finds a fault.
pub async fn run(args: AuditArgs) -> Result<(), Failure> {
    let out = &mut std::io::stdout();
    let config = args.config.load()?;
    let (since, begun) = (args.since.unwrap_or_default(), Clock::System.now_seconds());
    let working = Stopwatch::start();
    let auditing = tokio::task::spawn_blocking(move || {
        let foundation = Foundation::open(config, Clock::System, Opening::Unchanged);
        let foundation = foundation.map_err(Failure::of_start)?;
        let bar = make_bar();
        let audited = foundation
            .state_log()
            .audit(server::SEAL, since, &mut |done, total| {
                bar.set_length(total);
                bar.set_position(done);
            });
        bar.finish_and_clear();
        let report = audited.map_err(Failure::new)?;
        // A part of the versions tells nothing about the others.
        let noted = if since > 0 {
            Ok(())
        } else {
            foundation.state_log().note_audit(&report)
        };
        Ok::<_, Failure>((report, noted))
    });
    let (report, noted) = auditing.await.map_err(Failure::new)??;
    if let Err(fault) = noted {
        // The report counts more: the store may be damaged.
        let mut err = std::io::stderr();
        say(
            &mut err,
            format_args!("the log does not get the result: {fault}"),
        );
    }
    if args.json {
        let seconds = working.elapsed().as_secs();
        say_json(out, describe(&report, args.since, begun, seconds));
    } else {
        for line in lines(&report) {
            say(out, line);
        }
    }
    match report.fault_count() {
        0 => Ok(()),
        1 => Err(Failure::new(
            "the audit found a fault: see \"An audit finds a fault\" in docs/runbooks.md",
        )),
        count => Err(Failure::new(format!(
            "the audit found {count} faults: see \"An audit finds a fault\" in docs/runbooks.md"
        ))),
    }
}

/// Shows progress on a terminal; without a terminal it shows nothing.
fn make_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style =
        ProgressStyle::with_template("audit {wide_bar} {percent}%, {elapsed} gone, {eta} left");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar
}

fn describe(report: &Report, since: Option<i64>, begun: i64, seconds: u64) -> serde_json::Value {
    let logs = report
        .logs
        .iter()
        .map(|log| json!({"origin": log.origin, "size": log.size, "checkpoint": log.checkpoint}));
    let ended = report
        .ended
        .iter()
        .map(|log| json!({"origin": log.origin, "size": log.size, "in_store": log.in_store}));
    json!({
        "audited_at": to_rfc3339(begun),
        "since": since.map(to_rfc3339),
        "seconds": seconds,
        "versions": report.versions,
        "logged": report.logged,
        "rendered": report.rendered,
        "keys": report.keys,
        "redacted": report.redacted,
        "erasures": report.erasures.iter().map(describe_erasure).collect::<Vec<_>>(),
        "logs": logs.collect::<Vec<_>>(),
        "ended_logs": ended.collect::<Vec<_>>(),
        "notes": report.notes,
        "fault_count": report.fault_count(),
        "faults": report.faults,
    })
}

fn describe_erasure(erasure: &Erasure) -> serde_json::Value {
    json!({
        "listing": erasure.listing,
        "erased_at": to_rfc3339(erasure.erased_at),
        "finished_at": erasure.finished_at.map(to_rfc3339),
    })
}

fn line_of(erasure: &Erasure) -> String {
    let Erasure {
        listing, erased_at, ..
    } = *erasure;
    let at = to_rfc3339(erased_at);
    match erasure.finished_at {
        Some(_finished_at) => format!("listing {listing} was erased at {at}"),
        None => format!(
            "listing {listing} is being erased since {at}: run `onward erase --repeat` if it has stopped"
        ),
    }
}

fn lines(report: &Report) -> Vec<String> {
    let mut lines: Vec<_> = report
        .faults
        .iter()
        .map(|fault| format!("FAULT {fault}"))
        .collect();
    if report.more_faults > 0 {
        lines.push(format!("… and {} more faults", report.more_faults));
    }
    lines.extend(report.notes.iter().map(|note| format!("NOTE {note}")));
    for log in &report.logs {
        lines.push(format!(
            "log {}: the root of {} entries was made again",
            log.origin, log.size
        ));
    }
    lines.extend(report.erasures.iter().map(line_of));
    if report.redacted > 0 {
        lines.push(format!(
            "{} of the opened versions lack a sale since it was erased; the log proves the rest of them",
            report.redacted
        ));
    }
    lines.push(format!(
        "{} sealed versions opened, {} of them are proved by a log; {} present versions rendered again; \
         {} changes of keys compared",
        report.versions, report.logged, report.rendered, report.keys
    ));
    match (report.fault_count(), report.notes.is_empty()) {
        (0, true) => lines.push("Nothing is missing, and nothing differs.".to_owned()),
        (0, false) => lines.push("Nothing else is missing, and nothing differs.".to_owned()),
        (1.., _) => {}
    }
    lines
}
