//! The `onward` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    onward::commands::run()
}
