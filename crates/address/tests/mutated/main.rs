//! Made-up homes, houses and flats side by side, asked for in all the ways that people mistype.
//! Whatever was typed, the answer is the home that is meant or none (S-7).

#![expect(
    clippy::print_stdout,
    reason = "the table is what the test is read for"
)]

mod homes;
#[path = "../labelled/memory.rs"]
mod memory;
mod mutations;
mod random;

use std::collections::BTreeMap;

use address::{Decision, Query, search};

use homes::{Home, homes};
use memory::Memory;
use mutations::{MUTATIONS, Meant};
use random::Random;

/// Homes that are asked for.
const ASKED: usize = 25;

#[derive(Debug, Default)]
struct Count {
    asked: usize,
    right: usize,
    wrong: usize,
    another: usize,
}

#[test]
fn the_home_that_is_meant_or_none() {
    let seed = std::env::var("SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let mut random = Random::new(seed.unwrap_or(20_261_121));
    let homes = homes(&mut random);
    let memory = Memory::new(homes.iter().map(Home::candidate).collect());
    println!(
        "{} homes, {} tenths of tokens each, at most {}",
        memory.len(),
        memory.tokens_mean(),
        memory.tokens_most()
    );
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let asked = std::env::var("ASKED")
        .ok()
        .and_then(|asked| asked.parse().ok());
    for _ in 0..asked.unwrap_or(ASKED) {
        let id = random.below(homes.len());
        for (name, mutate, meant) in MUTATIONS {
            let Some(typed) = mutate(&homes[id], &mut random) else {
                continue;
            };
            let count = counts.entry(name).or_default();
            ask(&memory, &typed, (id, *meant), (name, count));
        }
    }
    let (mut wrong, mut another) = (0, 0);
    println!(
        "{:34} {:>6} {:>8} {:>6} {:>8}",
        "", "n", "right", "wrong", "another"
    );
    for (name, count) in &counts {
        let share = count.right * 1000 / count.asked;
        println!(
            "{name:34} {:6} {share:8} {:6} {:8}",
            count.asked, count.wrong, count.another
        );
        wrong += count.wrong;
        another += count.another;
    }
    assert_eq!((wrong, another), (0, 0), "another home was answered");
}

fn ask(
    memory: &Memory,
    typed: &str,
    (id, meant): (usize, Meant),
    (name, count): (&str, &mut Count),
) {
    count.asked += 1;
    let query = Query::parse(typed);
    let shows = |kind: &str, other: Option<usize>| {
        if std::env::var("SHOW").is_ok_and(|shown| shown.split(',').any(|shown| shown == kind)) {
            let other = other.map_or("", |other| memory.display(other));
            println!(
                "{kind:8} {name} | {typed} | {} | {other}",
                memory.display(id)
            );
        }
    };
    let decide = |without: &[usize]| {
        let found = search(&query, |probe, limit| memory.find(probe, limit, without));
        match found {
            Ok(ranking) => ranking.decision(),
            Err(never) => match never {},
        }
    };
    match (decide(&[]), meant) {
        (Decision::One(found), Meant::This) if found == id => count.right += 1,
        (Decision::One(found), _) => {
            count.wrong += 1;
            shows("wrong", Some(found));
        }
        (Decision::Several | Decision::Nothing, Meant::Nothing) => count.right += 1,
        (Decision::Several, Meant::This) => shows("several", None),
        (Decision::Nothing, Meant::This) => shows("nothing", None),
    }
    if let Decision::One(other) = decide(&[id]) {
        count.another += 1;
        shows("another", Some(other));
    }
}
