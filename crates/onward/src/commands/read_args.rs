//! The arguments of commands that only read.

use clap::Args;
use serde_json::Value;
use storage::{Opening, Storage};

use super::{ConfigArgs, Failure, answer, say, say_json};

/// The configuration of a command that only reads, and the form of its answer.
#[derive(Debug, Args)]
pub struct ReadArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Prints JSON.
    #[arg(long)]
    pub(super) json: bool,
}

impl ReadArgs {
    /// Opens the store.
    pub(super) fn open(&self) -> Result<Storage, Failure> {
        let storage = server::foundation::open_storage(&self.config.load()?, Opening::Unchanged);
        storage.map_err(Failure::new)
    }

    /// Prints the answer as JSON or as text, as the flags say.
    pub(super) fn answer(
        &self,
        out: &mut dyn std::io::Write,
        document: &Value,
        text: impl std::fmt::Display,
    ) {
        answer(self.json, out, document, text);
    }

    /// Prints rows as one JSON array or as one line each, as the flags say.
    pub(super) fn list<T>(
        &self,
        out: &mut dyn std::io::Write,
        rows: &[T],
        describe: impl Fn(&T) -> Value,
        line: impl Fn(&T) -> String,
    ) {
        print_rows(self.json, out, rows, describe, line);
    }
}

/// Prints rows as one JSON array, or as one line each.
pub(super) fn print_rows<T>(
    is_json: bool,
    out: &mut dyn std::io::Write,
    rows: &[T],
    describe: impl Fn(&T) -> Value,
    line: impl Fn(&T) -> String,
) {
    if is_json {
        let rows: Value = rows.iter().map(describe).collect();
        say_json(out, rows);
        return;
    }
    for row in rows {
        say(out, line(row));
    }
}
