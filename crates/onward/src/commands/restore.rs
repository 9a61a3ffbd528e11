//! `onward restore`: replaces the store by a backup, or takes up a store that other tools put back.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use observe::clock::Clock;
use server::config::Config;
use storage::{StoreUrl, copies, nodes};

use super::{ConfigArgs, Failure, ReasonArgs, erase, note_of, open_for_operator, say};

/// The backup to restore.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// A file that `onward backup` wrote.
    #[arg(value_name = "FILE", required_unless_present = "recovered")]
    file: Option<PathBuf>,
    #[command(flatten)]
    config: ConfigArgs,
    /// Keeps an existing store under a name that ends in `.replaced`, and restores.
    #[arg(long, conflicts_with = "recovered")]
    replace: bool,
    /// Other tools, such as those of PostgreSQL, have put the store back: raises its counters, and
    /// changes nothing else. No node may run.
    #[arg(long, conflicts_with = "file")]
    recovered: bool,
    #[command(flatten)]
    why: ReasonArgs,
}

/// Runs `onward restore`.
pub fn run(args: &RestoreArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let config = args.config.load()?;
    let url: StoreUrl = config.store.parse().map_err(Failure::new)?;
    if let Some(file) = &args.file {
        copies::restore(file, &url, args.replace, note_of(&args.why)).map_err(Failure::new)?;
    } else {
        let storage = open_for_operator(&config, &args.why)?;
        let since = Clock::System.now_seconds() - tokens::limits::ANNOUNCED_SECONDS;
        storage.write_blocking(move |write| {
            let running = nodes::count_running(write, since)?;
            if running > 0 {
                let said = "nodes use this store: stop them first; a node that was killed counts for a minute";
                return Err(Failure::new(format_args!("{running} {said}")));
            }
            Ok(write.raise_counters()?)
        })?;
    }
    let said = format!(
        "Restored {url}, and raised its counters by 1,000,000. Next: `onward check` says whether it can be \
         served, and `onward serve --no-deliveries` tries it without sending events. \
         docs/operations.md, \"After a restore\", says what else is to be done."
    );
    say(out, said);
    repeat_erasures(&config, &args.why, out)
}

/// Erases again what the restored store has brought back (S-63).
fn repeat_erasures(config: &Config, why: &ReasonArgs, out: &mut dyn Write) -> Result<(), Failure> {
    if erase::read_lines(config)?.is_empty() {
        return Ok(());
    }
    let repeated =
        open_for_operator(config, why).and_then(|storage| erase::repeat(config, storage));
    match repeated {
        Ok(0) => {}
        Ok(count) => say(
            out,
            format_args!("Repeated {count} erasures of `erasures_file`."),
        ),
        Err(failure) => {
            return Err(Failure::new(format_args!(
                "the store is restored, but its erasures are not repeated: {failure}; mend that, and run \
                 `onward erase --repeat` before you serve"
            )));
        }
    }
    Ok(())
}
