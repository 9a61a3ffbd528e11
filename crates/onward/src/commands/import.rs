//! `onward import`: loads files, shows progress and reports every bad row.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use import::{self, BadRow, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use observe::clock::Clock;

use super::{ConfigArgs, Failure, ReasonArgs, open_for_operator, say};
use crate::limits;

/// Loads rows from NDJSON or CSV files; docs/import.md describes them.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// The files, loaded in this order; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    why: ReasonArgs,
    /// Prints the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs `onward import`. The exit status is 1 if any row was bad.
pub fn run(args: &ImportArgs) -> Result<(), Failure> {
    let config = args.config.load()?;
    let storage = open_for_operator(&config, &args.why)?;
    let mut bar = Bar::new();
    let report = import::import_files(&storage, &Clock::System, &args.files, &mut bar)
        .map_err(Failure::new)?;
    bar.finish();
    if args.json {
        let text = serde_json::to_string(&report).map_err(Failure::new)?;
        say(&mut std::io::stdout(), text);
    } else {
        let line = format!(
            "{} rows read: {} changed the store, {} were there already, {} bad",
            report.rows, report.changed, report.unchanged, report.bad
        );
        say(&mut std::io::stdout(), line);
    }
    if report.bad == 0 {
        Ok(())
    } else {
        Err(Failure::new(format!(
            "{} rows were refused; the others are stored. Mend them and import again.",
            report.bad
        )))
    }
}

/// Shows progress on a terminal; without a terminal it shows nothing.
pub(crate) struct Bar {
    bar: ProgressBar,
    shown: u64,
}

impl Bar {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template(
            "{msg} {wide_bar} {percent}% of {total_bytes}, {elapsed} gone, {eta} left",
        );
        if let Ok(style) = style {
            bar.set_style(style);
        }
        Self { bar, shown: 0 }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
        if self.shown > limits::IMPORT_ERRORS_SHOWN_MAX {
            let more = self.shown - limits::IMPORT_ERRORS_SHOWN_MAX;
            drop(writeln!(std::io::stderr(), "… and {more} more bad rows"));
        }
    }
}

impl Observer for Bar {
    fn begin(&mut self, file: &str, total_bytes: Option<u64>) {
        self.bar.reset();
        self.bar.set_message(file.to_owned());
        if let Some(total) = total_bytes {
            self.bar.set_length(total);
        }
    }

    fn advance(&mut self, bytes_read: u64, _rows: u64) {
        self.bar.set_position(bytes_read);
    }

    fn refuse(&mut self, bad: &BadRow) {
        self.shown += 1;
        if self.shown <= limits::IMPORT_ERRORS_SHOWN_MAX {
            self.bar.suspend(|| {
                let BadRow { file, line, reason } = bad;
                drop(writeln!(std::io::stderr(), "{file}:{line}: {reason}"));
            });
        }
    }
}
