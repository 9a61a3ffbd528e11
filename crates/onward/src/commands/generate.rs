//! `onward generate`: writes sample data to a file or to standard output.

#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;
use generate::{AS_OF, GenerateError, GenerateOptions, History, Summary, generate};
use jiff::civil::Date;
use thiserror::Error;

/// Writes sample data: synthetic chains, as a file for `onward import`.
///
/// The same options always write the same bytes.
#[derive(Debug, Clone, Args)]
pub struct GenerateArgs {
    /// The number of listings, 1 to 10,000,000 [default: 1000; with --addresses, one for each
    /// address]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub listings: Option<u64>,
    /// The seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Takes the addresses of this table (.csv or .tsv, or either with .gz), in its order; its
    /// header names the columns address, postcode and optionally uprn
    #[arg(long, value_name = "FILE")]
    pub addresses: Option<PathBuf>,
    /// The reference day of the data: no recorded event is later
    #[arg(long, value_name = "YYYY-MM-DD", default_value_t = AS_OF)]
    pub as_of: Date,
    /// Makes three in five of the listings part of chains that began in the last N days, 1 to 3,000.
    /// They have long tails, stalls and fall-throughs, and most have ended
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=3_000))]
    pub history_days: Option<u32>,
    /// Writes to this file, compressed when it ends in .gz, instead of to standard output
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// The reasons why `onward generate` fails.
#[derive(Debug, Error)]
pub enum GenerateCommandError {
    /// The data cannot be made or written.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The output file cannot be written.
    #[error("{} cannot be written: {source}", file.display())]
    Output {
        /// The file as it was named.
        file: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// Runs the command. The data goes to `args.output`, or else to `stdout`; a one-line summary goes
/// to `stderr`. An output file appears under its name only when it is complete. The reader of
/// standard output may close it at any time.
pub fn run(
    args: &GenerateArgs,
    stdout: &mut dyn Write,
    stderr: &mut dyn Write,
) -> Result<(), GenerateCommandError> {
    let options = GenerateOptions {
        listings: args.listings,
        seed: args.seed,
        addresses: args.addresses.clone(),
        as_of: args.as_of,
        history: args.history_days.map(|days| History {
            days,
            listings: None,
        }),
    };
    let written = match &args.output {
        Some(file) => write_file(&options, file)?,
        None => match generate(&options, stdout) {
            Ok(summary) => summary,
            Err(error) if is_broken_pipe(&error) => return Ok(()),
            Err(error) => return Err(error.into()),
        },
    };
    // The data is already written, so a failed summary is not a failure of the command.
    drop(writeln!(stderr, "{written}"));
    Ok(())
}

fn write_file(options: &GenerateOptions, file: &Path) -> Result<Summary, GenerateCommandError> {
    let partial = partial_path(file);
    let is_compressed = file
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("gz"));
    let written = write_partial(options, &partial, is_compressed).and_then(|summary| {
        fs::rename(&partial, file)?;
        Ok(summary)
    });
    written.map_err(|error| {
        // The first error is the one to report; a failure to remove the file changes nothing.
        drop(fs::remove_file(&partial));
        let GenerateError::Write(source) = error else {
            return GenerateCommandError::Generate(error);
        };
        GenerateCommandError::Output {
            file: file.to_owned(),
            source,
        }
    })
}

fn write_partial(
    options: &GenerateOptions,
    partial: &Path,
    is_compressed: bool,
) -> Result<Summary, GenerateError> {
    let mut output = File::create(partial)?;
    let summary = if is_compressed {
        let mut encoder = GzEncoder::new(&mut output, Compression::default());
        let summary = generate(options, &mut encoder)?;
        encoder.finish()?;
        summary
    } else {
        generate(options, &mut output)?
    };
    output.sync_all()?;
    Ok(summary)
}

fn is_broken_pipe(error: &GenerateError) -> bool {
    matches!(error, GenerateError::Write(source) if source.kind() == io::ErrorKind::BrokenPipe)
}

/// The path beside `file` that receives the data until it is complete.
fn partial_path(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}
