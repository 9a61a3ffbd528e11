//! `onward restore`: a copy put back in the place of the store.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use storage::{StoreUrl, copies};

use super::{ConfigArgs, Failure, say};

/// What is put back.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// A file that `onward backup` wrote.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    config: ConfigArgs,
    /// Sets a store that is there aside, under a name that ends in `.replaced`.
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
