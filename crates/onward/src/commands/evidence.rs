//! `onward evidence`: the evidence pack of a saved answer, and packs that withhold properties (S-62).

use std::path::PathBuf;

use clap::Args;
use client::Clock;
use evidence::Pack;
use evidence::pack::Answer;

use super::packs::{self, EvidenceError};
use super::query::{QueryError, uprn_parser};
use super::source::{SourceArgs, open_client};
use super::verify::read_answer;
use super::{Failure, Output};

/// Gets the evidence pack of a saved answer, or leaves properties out of a pack.
#[derive(Args, Debug)]
pub struct EvidenceArgs {
    /// A saved answer; or a pack, together with `--only`. `-` for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The file of the pack.
    #[arg(long, value_name = "FILE")]
    output: PathBuf,

    /// The UPRN of a property that the pack shows; several UPRNs may follow. The pack withholds all others.
    #[arg(long, value_name = "UPRN", num_args = 1.., value_parser = uprn_parser())]
    only: Vec<u64>,

    #[command(flatten)]
    source: SourceArgs,
}

/// Runs `onward evidence`. `time` dates the client assertion.
///
/// # Errors
/// [`Failure`] with the exit status 1.
pub async fn run(args: EvidenceArgs, time: Clock) -> Result<(), Failure> {
    make(args, time).await.map_err(Failure::of_lines)
}

async fn make(args: EvidenceArgs, time: Clock) -> Result<(), QueryError> {
    let content = read_answer(&args.file)?;
    let pack = if let Ok(answer) = Answer::from_body(&content) {
        let is_past = answer.data.get("asOf").is_some();
        let client = open_client(&args.source.for_time(is_past), time)?;
        packs::fetch(&client, &content, is_past).await?
    } else {
        let pack = Pack::parse(&content).map_err(|reason| EvidenceError::Unknown {
            path: args.file.clone(),
            reason,
        })?;
        if args.only.is_empty() {
            return Err(EvidenceError::Complete(args.file).into());
        }
        pack
    };
    let pack = if args.only.is_empty() {
        pack
    } else {
        pack.only(&args.only).map_err(EvidenceError::NotShown)?
    };
    let out = &mut Output(std::io::stdout());
    Ok(packs::save(&pack, &args.output, out)?)
}
