//! `onward restore`: replaces the store by a backup.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use storage::{StoreUrl, copies};

use super::{ConfigArgs, Failure, say};

/// The backup to restore.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// A file that `onward backup` wrote.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    config: ConfigArgs,
    /// Keeps an existing store under a name that ends in `.replaced`, and restores.
    #[arg(long)]
    replace: bool,
}

/// Runs `onward restore`.
pub fn run(args: &RestoreArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let config = args.config.load()?;
    let url: StoreUrl = config.store.parse().map_err(Failure::new)?;
    copies::restore(&args.file, &url, args.replace).map_err(Failure::new)?;
    let said = format!("Restored {url}. Next: `onward check` says whether it can be served.");
    say(out, said);
    Ok(())
}
