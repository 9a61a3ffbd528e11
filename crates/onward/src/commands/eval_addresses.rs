//! `onward eval-addresses`: measures address search with labelled pairs, by the same code and
//! store that answer queries.

mod fill;
mod pairs;
mod tally;

use std::io::Write;
use std::path::PathBuf;

use address::{Decision, Query};
use chain::ids::PropertyId;
use clap::Args;
use storage::{OpenOptions, Read, Storage, StorageError, StoreUrl};

use self::pairs::Pair;
use self::tally::{Outcome, Table};
use super::{Failure, say};
use crate::clock::Stopwatch;
use crate::property_search::{rank, rank_without};

/// Queries that one snapshot answers.
const BATCH: usize = 200;

/// Measures which property a typed address leads to, and how fast.
#[derive(Debug, Args)]
pub struct EvalAddressesArgs {
    /// Labelled pairs: a table (.tsv or .csv, or either with .gz) whose header names the columns
    /// messy (what was typed) and canonical (the whole address that is meant, with its postcode),
    /// and, if it likes, category.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Puts the addresses of this table into the store as well; its header names the columns
    /// address and postcode.
    #[arg(long, value_name = "FILE")]
    addresses: Option<PathBuf>,

    /// How many properties the store has: made-up ones are added up to this number.
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u64).range(0..=10_000_000))]
    properties: u64,

    /// The store to fill and to ask, which must be empty: a file, or a postgres:// URL [default: a
    /// file for this run alone]
    #[arg(long, value_name = "STORE")]
    store: Option<String>,

    /// Prints each query that was answered with another property than the one meant.
    #[arg(long)]
    show_wrong: bool,

    /// Prints each query that was not answered although its property is there.
    #[arg(long)]
    show_missed: bool,
}

/// What became of one pair.
struct Measured {
    outcome: Outcome,
    /// Whether something was found where the property meant was not in the store.
    is_answered_without: bool,
    micros: u64,
}

/// Runs the command.
pub fn run(args: &EvalAddressesArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let pairs = pairs::read_pairs(&args.file).map_err(Failure::new)?;
    let directory = tempfile::tempdir().map_err(Failure::new)?;
    let url = match &args.store {
        Some(store) => store.parse().map_err(Failure::new)?,
        None => StoreUrl::Sqlite(directory.path().join("addresses.db")),
    };
    let options = OpenOptions {
        create: true,
        ..OpenOptions::default()
    };
    let storage = Storage::open(&url, &options).map_err(Failure::new)?;
    let filled = fill::fill(&storage, &pairs, args.addresses.as_deref(), args.properties);
    let filled = filled.map_err(Failure::new)?;
    say(out, format!("store      {url}: {filled}"));
    let labelled: Vec<(Pair, PropertyId)> = pairs
        .into_iter()
        .filter_map(|pair| Some((pair.clone(), filled.find(&pair.canonical)?)))
        .collect();
    if labelled.is_empty() {
        return Err(Failure::new("no pair names an address that can be stored"));
    }
    let mut table = Table::default();
    for batch in labelled.chunks(BATCH) {
        let batch = batch.to_vec();
        let measured = storage
            .read_blocking(move |read| {
                let measure = |(pair, meant): (Pair, PropertyId)| {
                    let measured = measure(read, &pair.messy, meant)?;
                    Ok((pair, measured))
                };
                batch.into_iter().map(measure).collect()
            })
            .map_err(|error: StorageError| Failure::new(error))?;
        let measured: Vec<(Pair, Measured)> = measured;
        for (pair, measured) in measured {
            show(args, &pair, measured.outcome, out);
            table.count(&pair.category, &measured);
        }
    }
    say(out, table);
    Ok(())
}

/// Asks three times and keeps the shortest time, because other programs run beside.
fn measure(read: &mut Read<'_>, messy: &str, meant: PropertyId) -> Result<Measured, StorageError> {
    let mut micros = u64::MAX;
    let mut decision = Decision::Nothing;
    for _ in 0..3 {
        let stopwatch = Stopwatch::start();
        decision = rank(read, &Query::parse(messy), |_property| {})?.decision();
        let elapsed = u64::try_from(stopwatch.elapsed().as_micros()).unwrap_or(u64::MAX);
        micros = micros.min(elapsed);
    }
    let without = rank_without(read, &Query::parse(messy), meant)?.decision();
    Ok(Measured {
        outcome: match decision {
            Decision::One(found) if found == meant => Outcome::Right,
            Decision::One(_) => Outcome::Wrong,
            Decision::Several => Outcome::Several,
            Decision::Nothing => Outcome::Nothing,
        },
        is_answered_without: matches!(without, Decision::One(_)),
        micros,
    })
}

fn show(args: &EvalAddressesArgs, pair: &Pair, outcome: Outcome, out: &mut dyn Write) {
    let is_shown = match outcome {
        Outcome::Right => false,
        Outcome::Wrong => args.show_wrong,
        Outcome::Several | Outcome::Nothing => args.show_missed,
    };
    if is_shown {
        let Pair {
            messy, canonical, ..
        } = pair;
        say(out, format!("{outcome:<8} {messy}  ->  {canonical}"));
    }
}
