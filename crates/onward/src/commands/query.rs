//! `onward query`: queries chains, verifies the signed answer and draws the chains.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use client::problem::{NOT_FOUND, Problem};
use client::wire::{AddressSuggestion, ValueExplanation};
use client::{ChainInput, ChainQuery, ClientError, Clock, VerifiedAnswer, printable};
use observe::clock;

use super::audit_log::read_time;
use super::packs::{self, EvidenceError};
use super::source::{SourceArgs, SourceError, open_client};

mod diagram;
mod paint;
mod property;

pub(crate) use paint::Paint;

/// The most properties that the command suggests for an uncertain address.
const SUGGESTIONS: u8 = 5;

/// Queries the chains of properties and verifies the signed answer.
#[derive(Args, Debug)]
pub struct QueryArgs {
    /// The UPRN of a property; several UPRNs may follow.
    #[arg(long, value_name = "N", num_args = 1.., value_parser = uprn_parser())]
    uprn: Vec<u64>,

    /// An address, complete or in part, or only a postcode. Several words form one address.
    #[arg(
        value_name = "ADDRESS",
        required_unless_present = "uprn",
        conflicts_with = "uprn",
        value_parser = NonEmptyStringValueParser::new()
    )]
    address: Vec<String>,

    /// The number of chains on a page.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=100))]
    rows: Option<u8>,

    /// The number of the page, from 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    page: Option<u32>,

    /// The time of which the answer gives the state: a date, which means its beginning in UTC, or a
    /// time such as 2026-11-01T09:30:00Z. The client needs the scope `transaction-history` besides; in a
    /// sandbox the default client is then `Example Auditor`.
    #[arg(long, value_name = "TIME", value_parser = read_time)]
    as_of: Option<i64>,

    #[command(flatten)]
    source: SourceArgs,

    /// Prints the verified answer as JSON. Characters that mislead readers are JSON's escapes there;
    /// `--output` keeps them.
    #[arg(long)]
    json: bool,

    /// Saves the verified answer, for `onward verify`.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Saves the evidence pack of the answer, once the log has its states.
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    evidence: Option<PathBuf>,
}

/// The reasons why a query or a verification fails.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The service refused, was not reached, or sent an answer that does not verify.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The service cannot tell which property the address means.
    #[error("{problem}\n{suggestions}")]
    Uncertain {
        /// The problem document of the service.
        problem: Box<Problem>,
        /// The properties that the address may mean.
        suggestions: Suggestions,
    },
    /// The result could not be written out.
    #[error("cannot write the result: {0}")]
    Write(#[from] io::Error),
    /// The answer could not be saved.
    #[error("cannot save the answer to {}: {source}", path.display())]
    Save {
        /// The file of `--output`.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// There is no evidence pack, or it does not verify.
    #[error(transparent)]
    Evidence(#[from] EvidenceError),
    /// The service to ask cannot be used.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The sandbox has no API key for webhook management.
    #[error("sandbox.json holds no API key: start `onward sandbox` of this version again")]
    NoApiKey,
    /// Neither a key set nor a sandbox was named.
    #[error("no key set to verify with: pass --jwks FILE_OR_URL, or --sandbox DIR")]
    NoKeySet,
    /// A key set at a URL was named without a certificate authority to trust.
    #[error("no certificate authority to trust for the key set: pass --ca FILE, or --ca system")]
    NoTrust,
}

/// Runs `onward query`. It writes to `out` only after the signature has verified; otherwise it
/// fails and writes nothing. `time` dates the client assertion.
///
/// # Errors
/// [`QueryError`]; the program's exit status is then 1.
pub async fn run(args: QueryArgs, time: Clock, out: &mut dyn Write) -> Result<(), QueryError> {
    let source = args.source.for_time(args.as_of.is_some());
    let client = open_client(&source, time)?;
    let address = args.address.join(" ");
    let input = if address.is_empty() {
        ChainInput::Uprns(args.uprn)
    } else {
        ChainInput::Addresses(vec![address.clone()])
    };
    let query = ChainQuery {
        input,
        rows: args.rows,
        page: args.page,
        // A printed or saved answer is document 1's alone.
        explain: !args.json && args.output.is_none(),
        as_of: args.as_of.map(clock::to_rfc3339),
    };
    let answer = match client.query_chains(&query).await {
        Err(ClientError::Refused(problem)) if problem.kind == NOT_FOUND && !address.is_empty() => {
            let suggestions = client.suggest_addresses(&address, SUGGESTIONS).await?;
            return Err(if suggestions.is_empty() {
                ClientError::Refused(problem).into()
            } else {
                QueryError::Uncertain {
                    problem,
                    suggestions: Suggestions(suggestions),
                }
            });
        }
        answered => answered?,
    };

    if let Some(path) = args.output {
        std::fs::write(&path, answer.body()).map_err(|source| QueryError::Save { path, source })?;
    }
    if args.json {
        let body = String::from_utf8_lossy(answer.body());
        writeln!(out, "{}", unicode::visible_json(&body))?;
    } else {
        write_answer(&answer, Paint::detect(), out)?;
    }
    out.flush()?;
    if let Some(path) = args.evidence {
        let pack = packs::fetch(&client, answer.body(), args.as_of.is_some()).await?;
        packs::save(&pack, &path, out)?;
    }
    Ok(())
}

/// The properties that an address may mean, printed one a line.
#[derive(Debug)]
pub struct Suggestions(Vec<AddressSuggestion>);

impl std::fmt::Display for Suggestions {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(formatter, "Perhaps one of these is meant:")?;
        for suggestion in &self.0 {
            writeln!(
                formatter,
                "  --uprn {:<12}  {}  ({:.0} %)",
                suggestion.uprn,
                printable(&suggestion.display_address),
                suggestion.confidence * 100.0
            )?;
        }
        write!(formatter, "Ask again with one of these UPRNs.")
    }
}

/// Draws every chain of the page, then names the key that signed the answer.
fn write_answer(answer: &VerifiedAnswer, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let page = answer.page();
    let pagination = &page.pagination;
    let matched = answer.explanation().iter().filter_map(|value| value.uprn);
    let earlier = pagination.current_page.saturating_sub(1);
    let earlier = earlier.saturating_mul(pagination.per_page);
    let mut asked = matched.skip(usize::try_from(earlier).unwrap_or(usize::MAX));
    if let Some(as_of) = describe_as_of(answer) {
        writeln!(out, "{as_of}")?;
    }
    for chain in &page.data {
        writeln!(out, "{}", diagram::draw_chain(chain, asked.next(), paint))?;
    }
    if page.data.is_empty() || pagination.last_page > 1 {
        writeln!(
            out,
            "page {} of {}, {} chains in all",
            pagination.current_page, pagination.last_page, pagination.total
        )?;
    }
    let signature = describe_signature(answer.kid(), answer.signed_at(), paint);
    writeln!(out, "{signature}")?;
    let values = answer.explanation().iter();
    for miss in values.filter_map(ValueExplanation::describe_miss) {
        writeln!(out, "{miss} (not signed)")?;
    }
    Ok(())
}

/// One line for an answer about a past time, which the signature covers.
pub(crate) fn describe_as_of(answer: &VerifiedAnswer) -> Option<String> {
    let as_of = answer.page().as_of.as_ref()?;
    Some(format!(
        "The state as of {}, not the present one:",
        printable(as_of)
    ))
}

/// One line: the signature verified, with this key. The time is outside the signature, so it is shown as
/// a claim (S-59).
pub(crate) fn describe_signature(kid: &str, signed_at: &str, paint: Paint) -> String {
    format!(
        "{} signature verified: key {} (not proved: signedAt says {})",
        paint.green("✓"),
        printable(kid),
        printable(signed_at)
    )
}

pub(super) fn uprn_parser() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(0..=999_999_999_999)
}

#[cfg(test)]
mod tests;
