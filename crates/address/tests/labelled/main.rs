//! Labelled pairs of what people type and the address they mean, against all the addresses that
//! the pairs were made over (S-7). The data is read in place; without it nothing is tested.

#![expect(
    clippy::print_stdout,
    reason = "the table is what the test is read for"
)]

mod data;
mod memory;
mod premises;

use std::collections::BTreeMap;
use std::time::Instant;

use address::{Decision, Query, Ranking, premises, search};

use data::{Pair, read_addresses, read_pairs};
use memory::Memory;
use premises::{Premises, split};

/// How many queries of a kind were answered rightly, wrongly and not at all.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    asked: usize,
    right: usize,
    wrong: usize,
    several: usize,
    /// Of the right ones: another register's entry of the same premises.
    twin: usize,
    /// Of the right ones: only entries of the same premises fitted, several of them.
    twins: usize,
    /// Answered with another property when no entry of the premises meant is in the store.
    another: usize,
    /// The same when the very entry that is meant is not there.
    another_row: usize,
}

#[test]
fn labelled_pairs() {
    let Some(addresses) = read_addresses() else {
        println!("skipped: the labelled addresses are not there");
        return;
    };
    let pairs = read_pairs();
    let all_premises = Premises::new(&addresses);
    let displays = addresses.iter().enumerate();
    let store = Memory::new(displays.map(|(id, display)| split(id, display)).collect());
    println!(
        "{} addresses, {} tenths of tokens each, at most {}",
        store.len(),
        store.tokens_mean(),
        store.tokens_most()
    );
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let mut times = Vec::new();
    for pair in &pairs {
        let count = counts.entry(&pair.category).or_default();
        count_pair(&store, &all_premises, pair, (count, &mut times));
    }
    let mut total = Count::default();
    println!(
        "{:28} {:>5} {:>7} {:>6} {:>6} {:>6} {:>8} {:>8} {:>8} {:>8}",
        "", "n", "right", "twin", "twins", "wrong", "several", "nothing", "another", "by row"
    );
    for (category, count) in &counts {
        print_count(category, count);
        total.asked += count.asked;
        total.right += count.right;
        total.wrong += count.wrong;
        total.several += count.several;
        total.twin += count.twin;
        total.twins += count.twins;
        total.another += count.another;
        total.another_row += count.another_row;
    }
    print_count("all", &total);
    times.sort_unstable();
    let at = |share: usize| {
        times
            .get(times.len() * share / 100)
            .copied()
            .unwrap_or_default()
    };
    println!(
        "microseconds a query: half {}, 99 of 100 {}",
        at(50),
        at(99)
    );
    assert!(total.right * 100 >= total.asked * 95, "too few are found");
    // By row, and so by premises as well.
    let wrong = total.wrong + total.twin;
    assert!(wrong * 1000 <= total.asked * 2, "too many are wrong");
    assert!(
        total.another * 1000 <= total.asked * 5,
        "too many are another"
    );
}

#[expect(
    clippy::disallowed_methods,
    reason = "only the table shows how long it took"
)]
fn count_pair(
    store: &Memory,
    all: &Premises,
    pair: &Pair,
    (count, times): (&mut Count, &mut Vec<u128>),
) {
    let shows = |kind: &str, id: Option<usize>| {
        if std::env::var("SHOW").is_ok_and(|shown| shown.split(',').any(|shown| shown == kind)) {
            let answer = id.map_or("", |id| store.display(id));
            println!(
                "{kind:8} {} | {} | {} | {answer}",
                pair.category, pair.typed, pair.canonical
            );
        }
    };
    count.asked += 1;
    let started = Instant::now();
    let query = Query::parse(&pair.typed);
    let ranking = match search(&query, |probe, limit| store.find(probe, limit, &[])) {
        Ok(ranking) => ranking,
        Err(never) => match never {},
    };
    times.push(started.elapsed().as_micros());
    match ranking.decision() {
        Decision::One(id) if store.display(id) == pair.canonical => count.right += 1,
        Decision::One(id) if premises(store.display(id)) == premises(&pair.canonical) => {
            count.right += 1;
            count.twin += 1;
            shows("twin", Some(id));
        }
        Decision::One(id) => {
            count.wrong += 1;
            shows("wrong", Some(id));
        }
        Decision::Several if is_among_twins(store, &ranking, pair) => {
            count.right += 1;
            count.twins += 1;
        }
        Decision::Several => {
            count.several += 1;
            shows(
                "several",
                ranking
                    .ranked
                    .iter()
                    .map(|ranked| ranked.id)
                    .find(|id| store.display(*id) != pair.canonical),
            );
        }
        Decision::Nothing => shows("nothing", None),
    }
    let decide = |without: &[usize]| {
        let found = search(&query, |probe, limit| store.find(probe, limit, without));
        match found {
            Ok(ranking) => ranking.decision(),
            Err(never) => match never {},
        }
    };
    if let Decision::One(id) = decide(all.twins(&pair.canonical)) {
        count.another += 1;
        shows("another", Some(id));
    }
    if let Decision::One(id) = decide(&all.row(&pair.canonical)) {
        count.another_row += 1;
        shows("row", Some(id));
    }
}

fn print_count(name: &str, count: &Count) {
    let nothing = count.asked - count.right - count.wrong - count.several;
    println!(
        "{name:28} {:5} {:7} {:6} {:6} {:6} {:8} {nothing:8} {:8} {:8}",
        count.asked,
        count.right * 1000 / count.asked,
        count.twin,
        count.twins,
        count.wrong,
        count.several,
        count.another,
        count.another_row
    );
}

/// Whether all that fit as well as the best are entries of the same premises, and the one that is
/// meant is among them.
fn is_among_twins(store: &Memory, ranking: &Ranking<usize>, pair: &Pair) -> bool {
    let meant = premises(&pair.canonical);
    let mut best = ranking.best();
    ranking.best().count() > 1 && best.all(|id| premises(store.display(id)) == meant)
}
