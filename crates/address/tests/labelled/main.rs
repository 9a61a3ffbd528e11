//! Labelled pairs of what people type and the address they mean, against all the addresses that
//! the pairs were made from (S-7). Without the data, which is read in place, nothing is tested.
//! The hard pairs are made from the same addresses.
//! `SHOW=wrong,twin,several,nothing,another,row` prints pairs with such answers.

#![expect(
    clippy::print_stdout,
    reason = "the test prints a table of its results"
)]

mod data;
mod hard;
mod memory;

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Instant;

use address::{Decision, Query, Ranking, premises};

use data::{Pair, Premises, read_addresses, read_pairs, split};
use memory::{Memory, is_shown};

/// Each pair has one of the first six answers: the very entry that is meant; another register's
/// entry of the same premises (twin), or several of them (twins); another property; several
/// properties; nothing. The last two count answers when no entry of the premises, or only the very
/// entry, is absent from the store.
const KINDS: [&str; 8] = [
    "right", "twin", "twins", "wrong", "several", "nothing", "another", "row",
];

/// The answers of a pair that count once.
const ANSWERS: [&str; 6] = ["right", "twin", "twins", "wrong", "several", "nothing"];

const SEED: u64 = 1;

#[test]
fn labelled_pairs() {
    let pairs = read_pairs();
    let Some(addresses) = read_addresses(&pairs) else {
        println!("skipped: the labelled addresses are not there");
        return;
    };
    let total = measure(&addresses, &pairs);
    let right = total("all", "right") + total("all", "twin") + total("all", "twins");
    assert!(right * 100 >= pairs.len() * 95, "too few are found");
    // By row, and so by premises as well.
    let wrong = total("all", "wrong") + total("all", "twin");
    assert!(wrong * 1000 <= pairs.len() * 2, "too many are wrong");
    assert!(
        total("all", "another") * 1000 <= pairs.len() * 6,
        "too many are another"
    );
}

/// `SEED` makes other pairs. `WRITE` names a folder for the tables of the benchmark.
#[test]
fn hard_pairs() {
    let variable = |name| std::env::var(name).ok();
    let Some(addresses) = read_addresses(&[]) else {
        println!("skipped: the addresses are not there");
        return;
    };
    let seed = variable("SEED").and_then(|seed| seed.parse().ok());
    let hard = hard::make(&addresses, seed.unwrap_or(SEED));
    if let Some(folder) = variable("WRITE") {
        hard.write(&PathBuf::from(folder)).unwrap();
    }
    let total = measure(&hard.addresses, &hard.pairs);
    for kind in hard::KINDS {
        let count = |answer| total(kind, answer);
        let found = count("right") + count("twin") + count("twins");
        let asked: usize = ANSWERS.iter().map(|answer| count(answer)).sum();
        assert!(asked >= 300, "{kind}: {asked} are too few");
        assert!(found * 100 >= asked * 85, "{kind}: too few are found");
    }
    let wrong = total("all", "wrong");
    assert!(wrong * 1000 <= hard.pairs.len(), "{wrong} are wrong");
}

/// Asks for each pair, and prints and returns the counts of answers by category.
fn measure(addresses: &[String], pairs: &[Pair]) -> impl Fn(&str, &str) -> usize {
    let all_premises = Premises::new(addresses);
    let displays = addresses.iter().enumerate();
    let store = Memory::new(displays.map(|(id, display)| split(id, display)).collect());
    println!("{store:?}");
    let mut counts: HashMap<(String, &'static str), usize> = HashMap::new();
    let mut times = Vec::new();
    for pair in pairs {
        let query = Query::parse(&pair.typed);
        let (ranking, time) = rank_timed(&store, &query);
        times.push(time);
        let twins = all_premises.twins(&pair.canonical);
        for kind in answers(&store, pair, &query, &ranking, twins) {
            for category in [&pair.category, "all"] {
                *counts.entry((category.to_owned(), kind)).or_default() += 1;
            }
        }
    }
    print_table(&counts);
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 100);
    println!(
        "microseconds a query: half {:?}, 99 of 100 {:?}",
        at(50),
        at(99)
    );
    move |category, kind| {
        let count = counts
            .iter()
            .find(|(key, _)| key.0 == category && key.1 == kind);
        count.map_or(0, |(_, count)| *count)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "only the table shows how long it took"
)]
fn rank_timed(store: &Memory, query: &Query) -> (Ranking<usize>, u128) {
    let started = Instant::now();
    let ranking = store.rank(query, &[]);
    (ranking, started.elapsed().as_micros())
}

/// The kinds of answers to a pair, of which the ranking is the one with all addresses.
fn answers(
    store: &Memory,
    pair: &Pair,
    query: &Query,
    ranking: &Ranking<usize>,
    twins: &[usize],
) -> Vec<&'static str> {
    let Pair {
        category,
        typed,
        canonical,
    } = pair;
    let is_decoy = canonical.is_empty();
    let is_twin = |id: usize| premises(store.display(id)) == premises(canonical);
    let mut kinds = vec![match ranking.decision() {
        Decision::One(id) if store.display(id) == canonical => "right",
        Decision::One(id) if is_twin(id) => "twin",
        Decision::One(_) => "wrong",
        Decision::Several if ranking.best().count() > 1 && ranking.best().all(is_twin) => "twins",
        Decision::Several | Decision::TooLittle | Decision::Nothing if is_decoy => "right",
        Decision::Several => "several",
        Decision::TooLittle | Decision::Nothing => "nothing",
    }];
    let is_row = |id: &usize| store.display(*id) == canonical;
    let row: Vec<usize> = twins.iter().copied().filter(is_row).collect();
    let absent = [("another", twins), ("row", row.as_slice())];
    for (kind, absent) in absent.into_iter().filter(|_| !is_decoy) {
        if let Decision::One(_) = store.rank(query, absent).decision() {
            kinds.push(kind);
        }
    }
    if kinds.iter().any(|kind| is_shown(kind)) {
        let others = ranking.ranked.iter().map(|ranked| store.display(ranked.id));
        let other = others.into_iter().find(|display| display != canonical);
        println!(
            "{kinds:?} {category} | {typed} | {canonical} | {}",
            other.unwrap_or_default()
        );
    }
    kinds
}

fn print_table(counts: &HashMap<(String, &str), usize>) {
    let mut categories: Vec<&str> = counts
        .keys()
        .map(|(category, _)| category.as_str())
        .collect();
    categories.sort_unstable();
    categories.dedup();
    let print = |name: &str, cells: [String; KINDS.len()]| {
        println!(
            "{name:28} {}",
            cells.map(|cell| format!("{cell:>8}")).concat()
        );
    };
    print("", KINDS.map(str::to_owned));
    for category in categories {
        let count = |kind| {
            counts
                .get(&(category.to_owned(), kind))
                .copied()
                .unwrap_or_default()
        };
        print(category, KINDS.map(|kind| count(kind).to_string()));
    }
}
