//! The arguments of commands that only read.

use clap::Args;
use storage::{Opening, Storage};

use super::{ConfigArgs, Failure, answer};

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
        document: &serde_json::Value,
        text: impl std::fmt::Display,
    ) {
        answer(self.json, out, document, text);
    }
}
