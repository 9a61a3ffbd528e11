//! Which properties a query asks the store for.

use std::collections::BTreeSet;

use crate::parse::{Class, Token};
use crate::place::Place;
use crate::query::Query;
use crate::token::{
    LONG_FORM, SHORT_FORM, district_number, number_forms, number_word, postcode_number,
    postcode_token, word_pair,
};
use crate::words::{is_common_in_names, resembles_street_type};

/// The most probes of one query.
pub(crate) const PROBES_MAX: usize = 12;

/// The most groups of one probe.
const GROUPS_MAX: usize = 8;

/// Words of a name that are tried as its first one.
const KEYS_MAX: usize = 3;

/// Asks for the properties that have, for each group, at least one of its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Never empty, and no group is.
    pub all_of: Vec<Vec<i32>>,
}

pub(crate) fn probes(query: &Query) -> Vec<Probe> {
    let numbers: BTreeSet<u32> = query
        .parsed
        .units
        .iter()
        .flat_map(|unit| unit.label.values())
        .collect();
    let mut probes = Vec::new();
    push_place(&mut probes, query, &numbers);
    if let Place::Unnamed = query.place {
        if numbers.is_empty() {
            push_names(&mut probes, query);
        } else {
            push_numbers(&mut probes, query, &numbers);
        }
    }
    probes.truncate(PROBES_MAX);
    probes
}

fn push(probes: &mut Vec<Probe>, mut all_of: Vec<Vec<i32>>) {
    all_of.retain(|group| !group.is_empty());
    all_of.dedup();
    all_of.truncate(GROUPS_MAX);
    let probe = Probe { all_of };
    if !probe.all_of.is_empty() && !probes.contains(&probe) {
        probes.push(probe);
    }
}

/// By the postcode, and for S-7's near-certain match by its district.
fn push_place(probes: &mut Vec<Probe>, query: &Query, numbers: &BTreeSet<u32>) {
    let outward = query.place.outward().unwrap_or_default();
    if let Some(postcode) = query.place.full() {
        let with_number = |number: &u32| vec![postcode_number(&postcode, *number)];
        if numbers.is_empty() {
            push(probes, vec![vec![postcode_token(&postcode)]]);
        } else {
            push(probes, numbers.iter().map(with_number).collect());
        }
    }
    if outward.is_empty() {
        return;
    }
    if numbers.is_empty() {
        push_names(probes, query);
        return;
    }
    let in_district = |number: &u32| vec![district_number(outward, *number)];
    push(probes, numbers.iter().map(in_district).collect());
}

/// By each number with the words behind it, first as typed and then as mistyped.
fn push_numbers(probes: &mut Vec<Probe>, query: &Query, numbers: &BTreeSet<u32>) {
    let tokens = query.tokens();
    let last = (0..tokens.len()).rposition(|at| matches!(tokens[at].class, Class::Unit(_)));
    let Some(last) = last else { return };
    let first = tokens
        .iter()
        .position(|token| matches!(token.class, Class::Unit(_)));
    let Some(Class::Unit(unit)) = tokens.get(last).map(|token| token.class) else {
        return;
    };
    // The last number stands with the street; a flat typed last has its building before it.
    let values = query.parsed.units[unit].label.values();
    let Some(number) = values.first().or(numbers.first()).copied() else {
        return;
    };
    let behind = naming(&tokens[last + 1..]);
    let before = naming(&tokens[..first.unwrap_or(last)]);
    let (near, far) = if behind.is_empty() {
        (before, Vec::new())
    } else {
        (behind, before)
    };
    let others = numbers.iter().filter(|other| **other != number);
    let others: Vec<u32> = others.copied().collect();
    for has_errors in [false, true] {
        let group = |word: &&Token| word_group(number, word, has_errors);
        let mut all_of: Vec<Vec<i32>> = near.iter().map(group).collect();
        if near.len() < 2 {
            // The town was typed before the number.
            all_of.push(far.iter().flat_map(group).collect());
        }
        for other in &others {
            all_of.push(
                near.iter()
                    .flat_map(|word| word_group(*other, word, has_errors))
                    .collect(),
            );
        }
        push(probes, all_of);
    }
    if near.iter().any(|word| word.class == Class::County) {
        let named = near.iter().filter(|word| word.class != Class::County);
        push(
            probes,
            named.map(|word| word_group(number, word, true)).collect(),
        );
    }
}

fn naming(tokens: &[Token]) -> Vec<&Token> {
    let mut seen = BTreeSet::new();
    let words = tokens.iter().filter(|token| token.is_word());
    let mut names: Vec<&Token> = words
        .enumerate()
        .filter(|(at, token)| match token.class {
            Class::County => true,
            // What may be a mistyped kind of street is not indexed.
            Class::Name => {
                *at == 0 || token.spelling.is_some() || !resembles_street_type(&token.written)
            }
            // `12 Park Road`, `12 The Green`.
            Class::StreetType => *at == 0,
            Class::Filler | Class::Letter | Class::Odd | Class::Unit(_) => false,
        })
        .map(|(_, token)| token)
        .filter(|token| seen.insert(token.text().to_owned()))
        .collect();
    names.truncate(GROUPS_MAX);
    names
}

fn word_group(number: u32, word: &Token, has_errors: bool) -> Vec<i32> {
    let mut group = vec![number_word(number, word.text())];
    if has_errors && word.spelling.is_none() && word.written.chars().count() >= 3 {
        for letters in [SHORT_FORM, LONG_FORM] {
            group.extend(number_forms(number, &word.written, letters));
        }
    }
    group
}

/// By the name of a house, or of a street, with the other words.
fn push_names(probes: &mut Vec<Probe>, query: &Query) {
    let words = naming(query.tokens());
    for key in 0..words.len().min(KEYS_MAX) {
        let pair = |word: &&Token| vec![word_pair(words[key].text(), word.text())];
        let rest = &words[key + 1..];
        if rest.iter().all(|word| is_common_in_names(word.text())) && rest.len() < 2 {
            continue;
        }
        push(probes, rest.iter().map(pair).collect());
    }
    for key in 0..words.len().min(KEYS_MAX) {
        for word in words.iter().skip(key + 1).take(2) {
            push(
                probes,
                vec![vec![word_pair(words[key].text(), word.text())]],
            );
        }
    }
}
