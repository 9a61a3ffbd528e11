//! `onward backup`: copies the store while the service runs.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use storage::{StoreUrl, copies};
use tokens::key_source::KeySource;

use super::{ConfigArgs, Failure, say};

/// The file that receives the copy.
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The new file. It appears only when the copy is complete; an existing file is never
    /// overwritten.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    config: ConfigArgs,
}

/// Runs `onward backup`.
pub fn run(args: &BackupArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let config = args.config.load()?;
    let url: StoreUrl = config.store.parse().map_err(Failure::new)?;
    copies::back_up(&url, &args.file).map_err(Failure::new)?;
    let key = match config.key_source() {
        KeySource::File(path) => path.to_owned(),
        KeySource::Command(command) => format!("the command `{command}` prints it"),
    };
    let said = format!(
        "Wrote {}. The key that opens its signing keys is not in it: {key}",
        args.file.display()
    );
    say(out, said);
    Ok(())
}
