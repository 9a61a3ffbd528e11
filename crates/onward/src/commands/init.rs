//! `onward init`: writes a commented configuration, keys and an empty store.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use provision::files;
use server::config::{Config, TEMPLATE};
use storage::Opening;

use super::{Failure, say};
use crate::registration::prepare_store;

/// Creates a folder with everything that `onward serve` needs, except certificates.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The folder; created if it does not exist.
    directory: PathBuf,
    /// The store [default: an SQLite file in the folder]
    #[arg(long, value_name = "URL")]
    store: Option<String>,
}

/// Runs `onward init`. Existing files stay unchanged.
pub fn run(args: &InitArgs, out: &mut dyn Write) -> Result<(), Failure> {
    std::fs::create_dir_all(&args.directory).map_err(|error| {
        Failure::new(format!("cannot make {}: {error}", args.directory.display()))
    })?;
    let path = args.directory.join("onward.toml");
    let flags: Vec<_> = args
        .store
        .iter()
        .map(|store| format!("store={store}"))
        .collect();
    let is_new = !path.exists();
    if is_new {
        files::write_secret(&path, &configuration(args))
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))?;
    } else {
        let kept = Config::load(&path, [], &[]).map_err(Failure::unusable)?;
        let asked = Config::load(&path, [], &flags).map_err(Failure::unusable)?;
        if kept.store != asked.store {
            return Err(Failure::new(format!(
                "{} is there already and names another store: edit it, or remove it first",
                path.display()
            )));
        }
        let text = format!("{} is there already and was left as it is.", path.display());
        say(out, text);
    }
    let prepared = Config::load(&path, std::env::vars(), &flags)
        .map_err(Failure::unusable)
        .and_then(|config| prepare_store(&config, Opening::Create));
    if let Err(failure) = prepared {
        if is_new {
            // Otherwise the next attempt would find the file, and keep a wrong setting.
            drop(std::fs::remove_file(&path));
        }
        return Err(failure);
    }
    say(
        out,
        format!(
            "{} has its configuration, keys and store.\n\
             Next: put server.pem, server.key and ca.pem (the authorities of client certificates) \
             beside it,\nthen run: onward check --config {}",
            args.directory.display(),
            path.display()
        ),
    );
    Ok(())
}

/// The text of a new configuration. It keeps the authority with which this command reaches the store,
/// because all further commands need it too.
fn configuration(args: &InitArgs) -> String {
    let mut text = TEMPLATE.to_owned();
    if let Some(store) = &args.store {
        text = text.replace("store = \"onward.db\"", &format!("store = {store:?}"));
    }
    if let Ok(file) = std::env::var("ONWARD_STORE_CA_FILE") {
        let setting = format!("store_ca_file = {file:?}");
        text = text.replace("store_ca_file = \"\"", &setting);
    }
    text
}
