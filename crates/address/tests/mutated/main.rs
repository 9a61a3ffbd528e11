//! Made-up homes, houses and flats side by side, asked for in all the ways that people mistype.
//! Every answer is the home that is meant or none (S-7). `SEED` and `ASKED` change the sample,
//! and `SHOW=wrong,another,several,nothing` prints texts with such answers.

#![expect(
    clippy::print_stdout,
    reason = "the test prints a table of its results"
)]

#[cfg(test)]
mod homes;
#[path = "../labelled/memory.rs"]
mod memory;
mod other;
#[cfg(test)]
mod same;

use std::collections::BTreeMap;
use std::str::FromStr;

use address::{Decision, Query};
use fastrand::Rng;

use homes::{Home, homes};
use memory::{Memory, is_shown};

/// With this seed, each mutation changes at least one of the homes.
const SEED: u64 = 13;

/// How many homes are asked for.
const ASKED: usize = 25;

#[derive(Debug, Default)]
struct Count {
    asked: usize,
    right: usize,
    wrong: usize,
    /// Answers with another home when the home that is meant is not in the store.
    another: usize,
}

#[test]
fn the_home_that_is_meant_or_none() {
    let mut random = Rng::with_seed(variable("SEED").unwrap_or(SEED));
    let homes = homes(&mut random);
    let store = Memory::new(homes.iter().map(Home::candidate).collect());
    println!("{store:?}");
    let mut table = Table {
        store,
        counts: BTreeMap::new(),
    };
    for _ in 0..variable("ASKED").unwrap_or(ASKED) {
        let home = &homes[random.usize(..homes.len())];
        for (name, typed) in same::texts(home, &mut random) {
            table.ask(name, &typed, home.id, true);
        }
        for (name, typed) in other::texts(home, &mut random) {
            table.ask(name, &typed, home.id, false);
        }
    }
    println!(
        "{:34} {:>6} {:>8} {:>6} {:>8}",
        "", "n", "right", "wrong", "another"
    );
    for (name, count) in &table.counts {
        let Count {
            asked,
            right,
            wrong,
            another,
        } = count;
        println!(
            "{name:34} {asked:6} {:8} {wrong:6} {another:8}",
            right * 1000 / asked
        );
    }
    let is_any = table
        .counts
        .values()
        .any(|count| count.wrong + count.another > 0);
    assert!(!is_any, "another home was answered");
}

/// Whether one of two addresses is a range of numbers and the other one of them (S-7).
fn is_in_range(first: &str, second: &str) -> bool {
    let range = |address: &str| {
        let (from, rest) = address.split_once('-')?;
        let (to, street) = rest.split_once(' ')?;
        let numbers: (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
        Some((numbers, street.to_owned()))
    };
    let covers = |((from, to), street): ((u32, u32), String), address: &str| {
        let mut numbers = (from..=to).step_by(2);
        numbers.any(|number| address == format!("{number} {street}"))
    };
    [(first, second), (second, first)]
        .into_iter()
        .any(|(first, second)| range(first).is_some_and(|range| covers(range, second)))
}

fn variable<T: FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}

/// The results of each mutation.
struct Table {
    store: Memory,
    counts: BTreeMap<&'static str, Count>,
}

impl Table {
    /// Asks for a home, which a text may mean or not.
    fn ask(&mut self, name: &'static str, typed: &str, id: usize, is_meant: bool) {
        let Self { store, counts } = self;
        let count = counts.entry(name).or_default();
        count.asked += 1;
        let query = Query::parse(typed);
        let kind = match store.rank(&query, &[]).decision() {
            Decision::One(found) if is_meant && found == id => "right",
            Decision::One(_) => "wrong",
            Decision::Several | Decision::TooLittle | Decision::Nothing if !is_meant => "right",
            Decision::Several => "several",
            Decision::TooLittle | Decision::Nothing => "nothing",
        };
        count.right += usize::from(kind == "right");
        count.wrong += usize::from(kind == "wrong");
        let without = store.rank(&query, &[id]);
        let is_another = match without.decision() {
            Decision::One(found) => !is_in_range(store.display(id), store.display(found)),
            Decision::Several | Decision::TooLittle | Decision::Nothing => false,
        };
        count.another += usize::from(is_another);
        if is_shown(kind) || is_another && is_shown("another") {
            let best = without.best().next().map_or("", |id| store.display(id));
            println!("{kind:8} {name} | {typed} | {} | {best}", store.display(id));
        }
    }
}
