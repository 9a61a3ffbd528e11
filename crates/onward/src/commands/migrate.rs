//! `onward migrate`: upgrades the store of an older version.

use std::io::Write;

use clap::Args;
use serde_json::json;
use server::foundation::open_storage;
use server::lifecycle::StartError;
use storage::{Opening, StorageError};

use super::{Failure, OperatorArgs};

/// Options of `onward migrate`.
#[derive(Debug, Args)]
pub struct MigrateArgs {
    #[command(flatten)]
    output: OperatorArgs,
}

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
        drop(open_storage(&config, Opening::Upgrade).map_err(Failure::of_start)?);
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
