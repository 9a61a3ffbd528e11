//! `onward completions`: what a shell needs to complete this program's arguments.

use std::io::Write;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::{CommandLine, Failure};

/// For which shell.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
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
