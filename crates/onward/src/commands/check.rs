//! `onward check`: checks a configuration, its certificates, keys and store without serving.

mod machine;

use std::io::Write;

use clap::Args;
use edge::tls::{Finding, TlsFiles};
use observe::clock::Clock;
use observe::telemetry;
use server::foundation::Foundation;
use storage::{Opening, Storage, StorageError, maintenance};

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
    let config = args.config.load()?;
    telemetry::read_filter(&config.log_filter()).map_err(Failure::unusable)?;
    let now = Clock::System.now_seconds();
    let files = TlsFiles::read(&config.edge().tls).map_err(Failure::unusable)?;
    // A proxy shows its own certificate to clients.
    let is_behind_proxy = !config.trusted_proxies.is_empty();
    let hosts = if is_behind_proxy {
        Vec::new()
    } else {
        config.hosts()
    };
    let findings = files.findings(&hosts, now);
    let mut findings = findings.map_err(Failure::unusable)?;
    findings.extend(machine::findings(&config, &args.config.config));
    let opening = move || Foundation::open(config, Clock::System, Opening::Unchanged);
    let opened = tokio::task::spawn_blocking(opening).await;
    let opened = opened.map_err(Failure::new)?;
    let foundation = opened.map_err(Failure::of_start)?;
    foundation.registry.snapshot().await.map_err(Failure::new)?;
    let storage = foundation.storage.clone();
    // Dropping the last handle closes the store and blocks until its threads end.
    let checking = tokio::task::spawn_blocking(move || {
        let checked = check_store(&storage, args.deep);
        drop((storage, foundation));
        checked
    });
    findings.extend(checking.await.map_err(Failure::new)??);
    report(findings, "The configuration can be served.", out)
}

fn check_store(storage: &Storage, deep: bool) -> Result<Vec<Finding>, StorageError> {
    storage.write_blocking(maintenance::probe)?;
    if !deep {
        return Ok(Vec::new());
    }
    let damage = storage.read_blocking(maintenance::find_damage)?;
    Ok(damage.into_iter().map(Finding::Fault).collect())
}

/// Prints the warnings, and then the verdict. The first fault is the reason of the failure.
fn report(
    findings: Vec<Finding>,
    verdict: impl std::fmt::Display,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut faults = Vec::new();
    for finding in findings {
        match finding {
            Finding::Warning(text) => say(out, text),
            Finding::Fault(text) => faults.push(text),
        }
    }
    if faults.is_empty() {
        say(out, verdict);
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
