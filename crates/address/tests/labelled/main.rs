//! Labelled pairs of what people type and the address they mean, against all the addresses that
//! the pairs were made from (S-7). Without the data, which is read in place, nothing is tested.
//! `SHOW=wrong,twin,several,nothing,another,row` prints pairs with such answers.

#![expect(
    clippy::print_stdout,
    reason = "the test prints a table of its results"
)]

mod data;
mod memory;

use std::collections::HashMap;
use std::time::Instant;

use address::{Decision, Query, premises};

use data::{Pair, Premises, read_addresses, read_pairs, split};
use memory::{Memory, is_shown};

/// Each pair has one of the first six answers: the very entry that is meant; another register's
/// entry of the same premises (twin), or several of them (twins); another property; several
/// properties; nothing. The last two count answers when no entry of the premises, or only the very
/// entry, is absent from the store.
const KINDS: [&str; 8] = [
    "right", "twin", "twins", "wrong", "several", "nothing", "another", "row",
];

#[test]
fn labelled_pairs() {
    let pairs = read_pairs();
    let Some(addresses) = read_addresses(&pairs) else {
        println!("skipped: the labelled addresses are not there");
        return;
    };
    let all_premises = Premises::new(&addresses);
    let displays = addresses.iter().enumerate();
    let store = Memory::new(displays.map(|(id, display)| split(id, display)).collect());
    println!("{store:?}");
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    let mut times = Vec::new();
    for pair in &pairs {
        times.push(microseconds(&store, pair));
        for kind in answers(&store, pair, all_premises.twins(&pair.canonical)) {
            *counts.entry((&pair.category, kind)).or_default() += 1;
            *counts.entry(("all", kind)).or_default() += 1;
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
    let total = |kind| counts.get(&("all", kind)).copied().unwrap_or_default();
    let right = total("right") + total("twin") + total("twins");
    assert!(right * 100 >= pairs.len() * 95, "too few are found");
    // By row, and so by premises as well.
    let wrong = total("wrong") + total("twin");
    assert!(wrong * 1000 <= pairs.len() * 2, "too many are wrong");
    assert!(
        total("another") * 1000 <= pairs.len() * 5,
        "too many are another"
    );
}

#[expect(
    clippy::disallowed_methods,
    reason = "only the table shows how long it took"
)]
fn microseconds(store: &Memory, pair: &Pair) -> u128 {
    let started = Instant::now();
    store.rank(&Query::parse(&pair.typed), &[]);
    started.elapsed().as_micros()
}

/// The kinds of answers to a pair.
fn answers(store: &Memory, pair: &Pair, twins: &[usize]) -> Vec<&'static str> {
    let Pair {
        category,
        typed,
        canonical,
    } = pair;
    let query = Query::parse(typed);
    let ranking = store.rank(&query, &[]);
    let is_twin = |id: usize| premises(store.display(id)) == premises(canonical);
    let mut kinds = vec![match ranking.decision() {
        Decision::One(id) if store.display(id) == canonical => "right",
        Decision::One(id) if is_twin(id) => "twin",
        Decision::One(_) => "wrong",
        Decision::Several if ranking.best().count() > 1 && ranking.best().all(is_twin) => "twins",
        Decision::Several => "several",
        Decision::Nothing => "nothing",
    }];
    let is_row = |id: &usize| store.display(*id) == canonical;
    let row: Vec<usize> = twins.iter().copied().filter(is_row).collect();
    for (kind, absent) in [("another", twins), ("row", row.as_slice())] {
        if let Decision::One(_) = store.rank(&query, absent).decision() {
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

fn print_table(counts: &HashMap<(&str, &str), usize>) {
    let mut categories: Vec<&str> = counts.keys().map(|(category, _)| *category).collect();
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
        let count = |kind| counts.get(&(category, kind)).copied().unwrap_or_default();
        print(category, KINDS.map(|kind| count(kind).to_string()));
    }
}
