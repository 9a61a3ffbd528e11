//! `onward migrate`: upgrades the store of an older version.

use std::io::Write;

use clap::Args;
use serde_json::json;
use server::config::Config;
use server::foundation::open_storage;
use server::start_error::StartError;
use storage::{Opening, Storage, StorageError};

use super::{Failure, OperatorArgs};

/// Options of `onward migrate`.
#[derive(Debug, Args)]
pub struct MigrateArgs {
    #[command(flatten)]
    output: OperatorArgs,
}

/// How often an upgrade is tried while running nodes hold locks that it needs.
const ATTEMPTS_MAX: u32 = 5;

/// Runs `onward migrate`. A store of this version stays as it is.
pub fn run(args: &MigrateArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let config = args.output.config.load()?;
    let from = match open_storage(&config, Opening::Unchanged) {
        Ok(_open) => None,
        Err(StartError::Storage(StorageError::OlderStore { found, .. })) => {
            Some(format!("from schema version {found}"))
        }
        Err(StartError::Storage(StorageError::OlderIndex { .. })) => {
            Some("with a new index of addresses".to_owned())
        }
        Err(error) => return Err(Failure::of_start(error)),
    };
    if from.is_some() {
        drop(upgrade(&config).map_err(Failure::of_start)?);
        // The audit log notes a command with its first write. The upgrade does not count as one.
        args.output
            .open()?
            .write_blocking(|_write| Ok::<_, StorageError>(()))?;
    }
    let document = json!({ "upgraded": from.is_some() });
    let text = match from {
        Some(from) => format!("Upgraded the store {from}. Start the nodes of this version."),
        None => "The store needs no upgrade.".to_owned(),
    };
    args.output.answer(out, &document, text);
    Ok(())
}

/// Upgrades the store. PostgreSQL may end the upgrade instead of a request if each waits for the other;
/// nothing was changed then.
fn upgrade(config: &Config) -> Result<Storage, StartError> {
    for _attempt in 1..ATTEMPTS_MAX {
        match open_storage(config, Opening::Upgrade) {
            Err(StartError::Storage(StorageError::Busy)) => {}
            done => return done,
        }
    }
    open_storage(config, Opening::Upgrade)
}
