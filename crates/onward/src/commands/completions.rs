//! `onward completions`: prints a completion script for a shell.

use std::io::Write;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::{CommandLine, Failure};

/// The shell to complete for.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell that runs the script.
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs `onward completions`.
pub fn run(args: &CompletionsArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(
        args.shell,
        &mut CommandLine::command(),
        "onward",
        &mut script,
    );
    out.write_all(&script).map_err(Failure::new)
}
