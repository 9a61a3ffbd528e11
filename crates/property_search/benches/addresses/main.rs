//! Measures address search with labelled pairs, on the code and the store that answer queries:
//! `cargo bench -p property_search --bench addresses -- PAIRS.tsv`.

mod fill;
mod pairs;
mod tally;

use std::collections::HashMap;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use address::{Decision, Query, Ranking, premises};
use chain::ids::PropertyId;
use clap::Parser;
use observe::clock::Stopwatch;
use property_search::{rank, rank_without};
use storage::properties;
use storage::{OpenOptions, Opening, Read, Storage, StorageError, StoreUrl};

use self::pairs::Pair;
use self::tally::{Outcome, Table};

/// The number of queries that one snapshot answers.
const BATCH: usize = 200;

/// Measures which property each typed address finds, and how fast.
#[derive(Debug, Parser)]
struct Arguments {
    /// `cargo bench` passes this flag to every benchmark.
    #[arg(long, hide = true)]
    bench: bool,

    /// Labelled pairs: a table (.tsv or .csv, or either with .gz). Its header names the columns
    /// messy (the typed address), canonical (the complete address that is meant, with its postcode;
    /// empty if none is meant) and optionally category.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Also stores the addresses of this table; its header names the columns address and postcode.
    #[arg(long, value_name = "FILE")]
    addresses: Option<PathBuf>,

    /// The number of properties in the store; made-up ones are added up to this number.
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u64).range(0..=10_000_000))]
    properties: u64,

    /// The store to fill and to query, which must be empty: a file, or a postgres:// URL [default:
    /// a temporary file]
    #[arg(long, value_name = "STORE")]
    store: Option<String>,

    /// Prints each query that found another property than the one meant, another entry of the same
    /// premises included.
    #[arg(long)]
    show_wrong: bool,

    /// Prints each query that found nothing although its property is in the store.
    #[arg(long)]
    show_missed: bool,
}

/// A pair for a property of the store.
#[derive(Clone)]
struct Labelled {
    pair: Pair,
    /// The property that is meant, if any.
    meant: Option<PropertyId>,
    /// The property that is meant, and all others with the same premises.
    twins: Vec<PropertyId>,
}

/// The result of one pair.
struct Measured {
    outcome: Outcome,
    /// The property that was found, or the candidates.
    shown: String,
    /// The property that was found although nothing of the premises meant was in the store.
    instead: Option<String>,
    /// Whether a property was found although the entry meant was not in the store.
    is_row_replaced: bool,
    micros: u64,
}

fn main() -> ExitCode {
    let ran = run(&Arguments::parse(), &mut std::io::stdout());
    ran.map_or_else(
        |error| {
            drop(writeln!(std::io::stderr(), "addresses: {error}"));
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn run(args: &Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let pairs = pairs::read_pairs(&args.file)?;
    let directory = tempfile::tempdir()?;
    let url = match &args.store {
        Some(store) => store.parse()?,
        None => StoreUrl::Sqlite(directory.path().join("addresses.db")),
    };
    let options = OpenOptions {
        opening: Opening::Create,
        ..OpenOptions::new(|_state| Err("no chain changes here".to_owned()))
    };
    let storage = Storage::open(&url, &options)?;
    let found = storage.read_blocking(properties::has_properties);
    if found? {
        return Err(format!(
            "{url} is not empty: name a store that does not exist yet, or an empty database"
        )
        .into());
    }
    let filled = fill::fill(&storage, &pairs, args.addresses.as_deref(), args.properties);
    let filled = filled?;
    say(out, format!("store      {url}: {filled}"));
    let labelled: Vec<Labelled> = pairs
        .into_iter()
        .map(|pair| Labelled {
            meant: filled.find(&pair.canonical),
            twins: filled.list_twins(&pair.canonical).to_vec(),
            pair,
        })
        .filter(|labelled| labelled.meant.is_some() || labelled.pair.canonical.is_empty())
        .collect();
    if labelled.is_empty() {
        return Err("no pair names an address that can be stored".into());
    }
    let mut table = Table::default();
    for batch in labelled.chunks(BATCH) {
        let asked = batch.to_vec();
        let measured = storage.read_blocking(move |read| {
            let measured: Result<Vec<_>, StorageError> = asked
                .iter()
                .map(|labelled| measure(read, labelled))
                .collect();
            measured
        });
        for (labelled, measured) in batch.iter().zip(measured?) {
            show(args, &labelled.pair, &measured, out);
            table.count(&labelled.pair.category, &measured);
        }
    }
    say(out, table);
    Ok(())
}

fn say(out: &mut dyn Write, line: impl std::fmt::Display) {
    drop(writeln!(out, "{line}"));
}

/// Queries three times and keeps the shortest time, because other programs run beside this one.
fn measure(read: &mut Read<'_>, labelled: &Labelled) -> Result<Measured, StorageError> {
    let text = &labelled.pair.messy;
    let mut micros = u64::MAX;
    for _ in 0..3 {
        let stopwatch = Stopwatch::start();
        rank(read, &Query::parse(text), |_property| {})?;
        let elapsed = u64::try_from(stopwatch.elapsed().as_micros()).unwrap_or(u64::MAX);
        micros = micros.min(elapsed);
    }
    let mut seen = HashMap::new();
    let ranking = rank(read, &Query::parse(text), |property| {
        seen.insert(property.id, property.address.display_address.clone());
    })?;
    let show = |id: &PropertyId| seen.get(id).cloned().unwrap_or_default();
    let best = ranking.ranked.first().map(|best| show(&best.id));
    let mut find_without = |absent: &[PropertyId]| {
        if absent.is_empty() {
            return Ok(None);
        }
        let decision = rank_without(read, &Query::parse(text), absent)?.decision();
        Ok::<_, StorageError>(match decision {
            Decision::One(other) => Some(show(&other)),
            Decision::Several | Decision::TooLittle | Decision::Nothing => None,
        })
    };
    let meant: Vec<PropertyId> = labelled.meant.into_iter().collect();
    Ok(Measured {
        outcome: judge(&ranking, labelled, &show),
        shown: best.unwrap_or_default(),
        instead: find_without(&labelled.twins)?,
        is_row_replaced: find_without(&meant)?.is_some(),
        micros,
    })
}

fn judge(
    ranking: &Ranking<PropertyId>,
    labelled: &Labelled,
    show: &dyn Fn(&PropertyId) -> String,
) -> Outcome {
    let place = premises(&labelled.pair.canonical);
    match ranking.decision() {
        Decision::One(found) if Some(found) == labelled.meant => Outcome::Right,
        Decision::One(found) if premises(&show(&found)) == place => Outcome::Twin,
        Decision::One(_) => Outcome::Wrong,
        Decision::Several | Decision::TooLittle | Decision::Nothing if labelled.meant.is_none() => {
            Outcome::Refused
        }
        Decision::Several => {
            let mut equal = ranking.best();
            let is_one = ranking.best().count() == 1;
            if !is_one && equal.all(|found| premises(&show(&found)) == place) {
                Outcome::Shared
            } else {
                Outcome::Several
            }
        }
        Decision::TooLittle | Decision::Nothing => Outcome::Nothing,
    }
}

fn show(args: &Arguments, pair: &Pair, measured: &Measured, out: &mut dyn Write) {
    let is_shown = match measured.outcome {
        Outcome::Right | Outcome::Shared | Outcome::Refused => false,
        Outcome::Twin | Outcome::Wrong => args.show_wrong,
        Outcome::Several | Outcome::Nothing => args.show_missed,
    };
    let Pair {
        messy, canonical, ..
    } = pair;
    if is_shown {
        let Measured { outcome, shown, .. } = measured;
        say(
            out,
            format!("{outcome:<9} {messy}  ->  {canonical}  ({shown})"),
        );
    }
    if let Some(instead) = measured.instead.as_ref().filter(|_| args.show_wrong) {
        say(
            out,
            format!("if absent {messy}  ->  {canonical}  ({instead})"),
        );
    }
}
