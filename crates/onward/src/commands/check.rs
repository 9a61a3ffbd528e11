//! `onward check`: checks a configuration, its certificates, keys and store without serving.

mod machine;

use std::io::Write;

use clap::Args;
use edge::tls::{Finding, TlsFiles};
use observe::clock::Clock;
use observe::telemetry;
use server::config::Config;
use server::foundation::{Foundation, open_storage};
use storage::{Opening, StoreUrl, maintenance};

use super::{ConfigArgs, Failure, say};

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

/// Runs `onward check`. It fails if the service could not serve all its clients.
pub async fn run(args: CheckArgs) -> Result<(), Failure> {
    let out = &mut std::io::stdout();
    if args.print {
        return print(&args.config, out);
    }
    let (config, sources) = args.config.load_with_sources()?;
    telemetry::read_filter(&config.log_filter()).map_err(Failure::unusable)?;
    let now = Clock::System.now_seconds();
    let files = TlsFiles::read(&config.edge().tls).map_err(Failure::unusable)?;
    let findings = files.findings(&config.hosts(), now);
    let mut findings = findings.map_err(Failure::unusable)?;
    let is_in_file = sources
        .get("store")
        .is_some_and(|source| source.starts_with("the file"));
    let url = config.store.parse::<StoreUrl>();
    let has_password = is_in_file && url.is_ok_and(|url| url.has_password());
    findings.extend(machine::findings(
        &config,
        &args.config.config,
        has_password,
    ));
    let serving = config.clone();
    let opening = move || Foundation::open(serving, Clock::System, Opening::Unchanged);
    let opened = tokio::task::spawn_blocking(opening).await;
    let opened = opened.map_err(Failure::new)?;
    let foundation = match opened {
        Ok(foundation) => foundation,
        Err(error) => {
            // The other findings are worth knowing too.
            report_all(findings, out);
            return Err(Failure::of_start(error));
        }
    };
    foundation.registry.snapshot().await.map_err(Failure::new)?;
    let checking = tokio::task::spawn_blocking(move || {
        foundation.storage.write_blocking(maintenance::probe)?;
        // Dropping the last handle closes the store and blocks until its threads end.
        drop(foundation);
        if args.deep {
            find_damage(&config)
        } else {
            Ok(Vec::new())
        }
    });
    findings.extend(checking.await.map_err(Failure::new)??);
    report(findings, out)
}

fn find_damage(config: &Config) -> Result<Vec<Finding>, Failure> {
    let storage = open_storage(config, Opening::Unchanged).map_err(Failure::of_start)?;
    let damage = storage.read_blocking(maintenance::find_damage)?;
    Ok(damage.into_iter().map(Finding::Fault).collect())
}

fn report_all(findings: Vec<Finding>, out: &mut dyn Write) {
    for finding in findings {
        let (Finding::Warning(text) | Finding::Fault(text)) = finding;
        say(out, text);
    }
}

/// Prints the warnings, and then that all is well. The faults are the reason of the failure.
fn report(findings: Vec<Finding>, out: &mut dyn Write) -> Result<(), Failure> {
    let mut faults = Vec::new();
    for finding in findings {
        match finding {
            Finding::Warning(text) => say(out, text),
            Finding::Fault(text) => faults.push(text),
        }
    }
    if faults.is_empty() {
        say(out, "The configuration can be served.");
        return Ok(());
    }
    Err(Failure::unusable(faults.join("; ")))
}

fn print(args: &ConfigArgs, out: &mut dyn Write) -> Result<(), Failure> {
    for (setting, source) in args.load_effective()? {
        say(out, format_args!("{setting}  # {source}"));
    }
    Ok(())
}
