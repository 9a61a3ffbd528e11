//! `onward check`: checks a configuration, its certificates, keys and store without serving.

mod damage;
mod files;
mod machine;
mod published;

use std::io::Write;

use clap::Args;
use observe::clock::Clock;
use observe::telemetry;
use server::config::{Config, Sources};
use server::foundation::{Foundation, open_storage};
use state_log::erasures_file::Line;
use storage::{Opening, OwnTime, maintenance, watches};

use super::{ConfigArgs, Failure, erase, say};

/// Checks settings, certificates, keys and store, and this machine.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Prints each setting with its source, without passwords, and checks nothing else.
    #[arg(long, conflicts_with = "deep")]
    print: bool,
    /// Also reads the whole store and finds damage. It takes minutes on a large store.
    #[arg(long)]
    deep: bool,
}

const NOT_COMPARED: &str = "the schema was not compared with the one that the migrations make, because \
     the store's role may not create a schema in its database";

/// A fact that an operator should know before the configuration is served.
enum Finding {
    /// Clients would be refused, a secret is open, or the store is damaged.
    Fault(String),
    /// The service works, but perhaps not for long or not for all.
    Warning(String),
}

/// Runs `onward check`. It fails if the service could not serve all its clients.
pub async fn run(args: CheckArgs) -> Result<(), Failure> {
    let out = &mut std::io::stdout();
    if args.print {
        return print(&args.config, out);
    }
    let (config, sources) = args.config.load_with_sources()?;
    telemetry::read_filter(&config.log_filter()).map_err(Failure::unusable)?;
    let unreadable = files::unreadable(&config);
    if !unreadable.is_empty() {
        return Err(Failure::unusable(unreadable.join("; ")));
    }
    let mut findings = files::check_tls(&config).map_err(Failure::unusable)?;
    findings.extend(machine::findings(&config, &sources));
    let serving = config.clone();
    let opening = move || Foundation::open(serving, Clock::System, Opening::Unchanged);
    let opened = tokio::task::spawn_blocking(opening).await;
    let opened = opened.map_err(Failure::new)?;
    let foundation = match opened {
        Ok(foundation) => foundation,
        Err(error) => {
            // The operator learns of the other faults at once.
            for fault in print_warnings(findings, out) {
                say(out, fault);
            }
            return Err(Failure::of_start(error));
        }
    };
    let registered = foundation.registry.snapshot().await.map_err(Failure::new)?;
    findings.extend(published::compare(&foundation, &registered).await);
    let failed_sync = foundation.storage.check_syncs().err();
    findings.extend(failed_sync.map(|error| Finding::Fault(error.to_string())));
    findings.extend(compare_clock(&foundation, &config).await?);
    findings.extend(find_large_watches(&foundation, &config).await?);
    findings.extend(find_missing_erasures(&foundation, &config).await?);
    let differences = foundation.find_framework_faults().await;
    findings.extend(differences.into_iter().map(Finding::Warning));
    let checking = tokio::task::spawn_blocking(move || {
        // Dropping the last handle closes the store and blocks until its threads end.
        drop(foundation);
        if args.deep {
            find_damage(&config)
        } else {
            Ok(Vec::new())
        }
    });
    findings.extend(checking.await.map_err(Failure::new)??);
    let faults = print_warnings(findings, out);
    if !faults.is_empty() {
        return Err(Failure::unusable(faults.join("; ")));
    }
    if args.deep {
        say(out, "The whole store was read and is not damaged.");
    }
    say(out, "The configuration can be served.");
    Ok(())
}

/// Writes as a request does, and compares this machine's clock with the time of the store.
async fn compare_clock(
    foundation: &Foundation,
    config: &Config,
) -> Result<Option<Finding>, Failure> {
    let limit = i64::from(config.clock_difference_max_seconds);
    let asked_at = Clock::System.now_milliseconds();
    let own = OwnTime {
        now: asked_at,
        is_trusted: limit == 0,
    };
    let time = foundation.storage.probe(Some(own)).await?;
    let answered_at = Clock::System.now_milliseconds();
    let lead = time.map_or(0, |time| time.lead_of(asked_at, answered_at)) / 1000;
    let is_wrong = limit > 0 && lead.abs() > limit;
    Ok(is_wrong.then(|| {
        Finding::Fault(format!(
            "this machine's clock is {lead} s ahead of the time of the store (behind it if negative)"
        ))
    }))
}

/// Watches from before the limit was set or lowered (S-65).
async fn find_large_watches(
    foundation: &Foundation,
    config: &Config,
) -> Result<Vec<Finding>, Failure> {
    let limit = i64::from(config.watched_uprns_max);
    let reading = foundation
        .storage
        .read(move |read| watches::list_totals_above(read, limit));
    let warn = |(participant, uprns)| {
        Finding::Warning(format!(
            "the subscriptions of {participant} watch {uprns} UPRNs, more than watched_uprns_max \
             ({limit}): they stay, and may only shrink"
        ))
    };
    Ok(reading.await?.into_iter().map(warn).collect())
}

/// Erased listings that an older store has brought back (S-63).
async fn find_missing_erasures(
    foundation: &Foundation,
    config: &Config,
) -> Result<Option<Finding>, Failure> {
    let lines = erase::read_lines(config)?;
    let reading = foundation
        .storage
        .read(move |read| erase::find_missing(read, &lines));
    let missing: Vec<Line> = reading.await?;
    let ids: Vec<_> = missing
        .iter()
        .map(|line| line.listing.to_string())
        .collect();
    Ok((!ids.is_empty()).then(|| {
        Finding::Fault(format!(
            "`erasures_file` has erased listings that the store still has: {}; `onward erase --repeat` erases \
             them again",
            ids.join(", ")
        ))
    }))
}

fn find_damage(config: &Config) -> Result<Vec<Finding>, Failure> {
    let storage = open_storage(config, Opening::Unchanged).map_err(Failure::of_start)?;
    let found = storage.read_blocking(maintenance::find_damage)?;
    let explained = found.into_iter().map(damage::explain);
    let mut findings: Vec<_> = explained.map(Finding::Fault).collect();
    match storage.list_schema_differences()? {
        Some(differences) => findings.extend(differences.into_iter().map(Finding::Fault)),
        None => findings.push(Finding::Warning(NOT_COMPARED.to_owned())),
    }
    Ok(findings)
}

/// The faults and warnings of settings and machine, for the log of a node that serves all the same.
pub(super) fn notices(config: &Config, sources: &Sources) -> Vec<String> {
    let findings = machine::findings(config, sources).into_iter();
    findings
        .map(|(Finding::Fault(text) | Finding::Warning(text))| text)
        .collect()
}

/// Prints the warnings. Returns the faults.
fn print_warnings(findings: Vec<Finding>, out: &mut dyn Write) -> Vec<String> {
    let mut faults = Vec::new();
    for finding in findings {
        match finding {
            Finding::Warning(text) => say(out, text),
            Finding::Fault(text) => faults.push(text),
        }
    }
    faults
}

fn print(args: &ConfigArgs, out: &mut dyn Write) -> Result<(), Failure> {
    for (setting, source) in args.load_effective()? {
        say(out, format_args!("{setting}  # {source}"));
    }
    Ok(())
}
