//! `onward backup`: copies the store while the service runs.

mod schedule;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use storage::StoreUrl;
use storage::copies;
use storage::copy_error::CopyError;
use tokens::key_source::KeySource;

use self::schedule::Schedule;
use super::{ConfigArgs, Failure, say, wait_for};

/// The file that receives the copy, or the folder that receives one after the other.
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The new file. It appears only when the copy is complete; an existing file is never
    /// overwritten.
    #[arg(value_name = "FILE", required_unless_present = "every")]
    file: Option<PathBuf>,
    /// Copies the store again and again, such as every `15m`, until a signal ends it.
    #[arg(long, value_name = "INTERVAL", requires = "to", conflicts_with = "file",
        value_parser = schedule::read_interval)]
    every: Option<Duration>,
    /// The folder of these copies. The file `onward-backup.prom` in it has their metrics.
    #[arg(long, value_name = "DIR", requires = "every", conflicts_with = "file")]
    to: Option<PathBuf>,
    /// How many of these copies stay; the oldest ones are removed.
    #[arg(long, value_name = "N", requires = "every", default_value_t = 96,
        value_parser = clap::value_parser!(u16).range(1..))]
    keep: u16,
    #[command(flatten)]
    config: ConfigArgs,
}

/// Runs `onward backup`.
pub fn run(args: BackupArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let config = args.config.load()?;
    let url: StoreUrl = config.store.parse().map_err(Failure::new)?;
    if let (Some(interval), Some(folder)) = (args.every, args.to) {
        if let StoreUrl::Postgres(_) = url {
            return Err(Failure::unusable(CopyError::Postgres(url.to_string())));
        }
        let kept = usize::from(args.keep);
        let schedule = Schedule {
            interval,
            kept,
            folder,
        };
        return wait_for(schedule::repeat(url, schedule));
    }
    let file = args.file.unwrap_or_default();
    copies::back_up(&url, &file).map_err(Failure::new)?;
    let key = match config.key_safe().source {
        KeySource::File(path) => path.to_owned(),
        KeySource::Command(_command) => "`key_encryption_key_command` prints it".to_owned(),
    };
    let said = format!(
        "Wrote {}. The key that opens its signing keys is not in it: {key}",
        file.display()
    );
    say(out, said);
    Ok(())
}
