//! Decides which of a few addresses a text means.

use std::convert::Infallible;

use address::{Candidate, Decision, Query, Ranking, index_tokens, search};

/// Makes an address of its line: up to four lines, the town and the postcode, with commas between.
pub(crate) fn home(id: usize, display: &str) -> Candidate<usize> {
    let mut parts: Vec<String> = display.split(", ").map(str::to_owned).collect();
    let postcode = parts.pop().unwrap();
    let post_town = parts.pop().unwrap();
    parts.resize(4, String::new());
    Candidate {
        id,
        lines: parts.try_into().unwrap(),
        post_town,
        postcode,
        display_address: display.to_owned(),
        is_verified: false,
    }
}

/// Ranks all these addresses, as if each probe found them.
pub(crate) fn rank(homes: &[Candidate<usize>], text: &str) -> Ranking<usize> {
    let Ok(ranking) = search(&Query::parse(text), |_, _| {
        Ok::<_, Infallible>(homes.to_vec())
    });
    ranking
}

/// Ranks the addresses that a store finds by their index tokens.
pub(crate) fn rank_by_tokens(homes: &[Candidate<usize>], text: &str) -> Ranking<usize> {
    let indexed: Vec<_> = homes
        .iter()
        .map(|home| (index_tokens(&home.known(), home.is_verified), home))
        .collect();
    let Ok(ranking) = search(&Query::parse(text), |probe, limit| {
        let has_one = |tokens: &[i32], group: &[i32]| tokens.iter().any(|one| group.contains(one));
        let found = indexed
            .iter()
            .filter(|(tokens, _)| probe.all_of.iter().all(|group| has_one(tokens, group)));
        let found = found.map(|(_, home)| (*home).clone()).take(limit);
        Ok::<_, Infallible>(found.collect())
    });
    ranking
}

/// Decides where one address in Leeds, LS1 4AP, is all there is.
pub(crate) fn decide_on(stored: &str, text: &str) -> Decision<usize> {
    rank(&[home(0, &format!("{stored}, Leeds, LS1 4AP"))], text).decision()
}

/// The rows of a table with two columns. Lines with a `#` explain the rows below them.
pub(crate) fn rows(table: &str) -> impl Iterator<Item = (&str, &str)> {
    let rows = table
        .lines()
        .filter(|row| !row.is_empty() && !row.starts_with('#'));
    rows.map(|row| row.split_once(" | ").unwrap())
}

/// Checks each row: a stored address and a typed text.
pub(crate) fn check(table: &str, expected: Decision<usize>) {
    for (stored, text) in rows(table) {
        assert_eq!(decide_on(stored, text), expected, "{stored}: {text}");
    }
}
