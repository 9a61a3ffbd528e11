//! `onward import`: loads files, shows progress and reports every bad row.

use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use import::{self, BadRow, ImportReport, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use observe::clock::Clock;
use serde::Serialize;

use super::{ConfigArgs, Failure, ReasonArgs, open_for_operator, say, say_json};
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
    /// Reports the result of the import and leaves the store unchanged. Other writes wait until the
    /// report is complete.
    #[arg(long)]
    dry_run: bool,
    /// Prints the result as JSON, with the refused rows.
    #[arg(long)]
    json: bool,
}

/// The result as JSON.
#[derive(Debug, Serialize)]
struct JsonReport<'a> {
    #[serde(flatten)]
    report: ImportReport,
    /// The first refused rows, as many as standard error shows.
    refused: &'a [BadRow],
}

/// Runs `onward import`. The exit status is 1 if any row was bad.
pub fn run(args: &ImportArgs) -> Result<(), Failure> {
    let config = args.config.load()?;
    let storage = open_for_operator(&config, &args.why)?;
    let mut bar = Bar::new();
    let import = if args.dry_run {
        import::check_files
    } else {
        import::import_files
    };
    let report = import(&storage, &Clock::System, &args.files, &mut bar).map_err(Failure::new)?;
    bar.finish();
    let (changed, stored) = if args.dry_run {
        ("would change", "nothing was stored")
    } else {
        ("changed", "the others are stored")
    };
    if args.json {
        let refused = &bar.refused;
        let text = serde_json::to_string(&JsonReport { report, refused });
        say_json(&mut std::io::stdout(), text.map_err(Failure::new)?);
    } else {
        let line = format!(
            "{} rows read: {} {changed} the store, {} were there already, {} bad",
            report.rows, report.changed, report.unchanged, report.bad
        );
        say(&mut std::io::stdout(), line);
    }
    if report.bad == 0 {
        return Ok(());
    }
    let (rows, them) = if report.bad == 1 {
        ("row was", "it")
    } else {
        ("rows were", "them")
    };
    Err(Failure::new(format!(
        "{} {rows} refused; {stored}. Mend {them} and import again.",
        report.bad
    )))
}

/// Shows progress on a terminal; without a terminal it shows nothing.
pub(crate) struct Bar {
    progress: ProgressBar,
    /// The rows that were shown.
    refused: Vec<BadRow>,
    left_out: u64,
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
        Self {
            progress: bar,
            refused: Vec::new(),
            left_out: 0,
        }
    }

    pub(crate) fn finish(&self) {
        self.progress.finish_and_clear();
        if self.left_out > 0 {
            let more = self.left_out;
            drop(writeln!(std::io::stderr(), "… and {more} more bad rows"));
        }
    }
}

impl Observer for Bar {
    fn begin(&mut self, file: &str, total_bytes: Option<u64>) {
        self.progress.reset();
        self.progress.set_message(file.to_owned());
        if let Some(total) = total_bytes {
            self.progress.set_length(total);
        }
    }

    fn advance(&mut self, bytes_read: u64, _rows: u64) {
        self.progress.set_position(bytes_read);
    }

    fn refuse(&mut self, bad: &BadRow) {
        if self.refused.len() == limits::IMPORT_ERRORS_SHOWN_MAX {
            self.left_out += 1;
            return;
        }
        self.progress.suspend(|| {
            let BadRow { file, line, reason } = bad;
            say(
                &mut std::io::stderr(),
                format_args!("{file}:{line}: {reason}"),
            );
        });
        self.refused.push(bad.clone());
    }
}
