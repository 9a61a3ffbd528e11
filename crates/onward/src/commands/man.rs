//! `onward man`: writes the manual pages of all commands.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, CommandFactory as _};

use super::{CommandLine, Failure, say};

/// The folder that receives the pages.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The folder; created if it does not exist.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

/// Runs `onward man`.
pub fn run(args: &ManArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let directory = args.directory.display();
    let failed = |error| Failure::new(format!("cannot write into {directory}: {error}"));
    std::fs::create_dir_all(&args.directory).map_err(failed)?;
    clap_mangen::generate_to(CommandLine::command(), &args.directory).map_err(failed)?;
    say(out, format!("Wrote manual pages into {directory}."));
    Ok(())
}
