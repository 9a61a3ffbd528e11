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
    /// It asks for a part of what the probe before it asks for: it is needed where that was cut off.
    pub(crate) is_narrower: bool,
}

impl Probe {
    /// Of these groups. None may be empty.
    pub fn of(all_of: Vec<Vec<i32>>) -> Self {
        Self {
            all_of,
            is_narrower: false,
        }
    }
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
    let probe = Probe::of(all_of);
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
    push_narrower(probes, query);
}

/// Where a number is found too often in a district, the word beside it tells.
fn push_narrower(probes: &mut Vec<Probe>, query: &Query) {
    let (Some(last), Some((number, near, _))) = (probes.last().cloned(), beside_number(query))
    else {
        return;
    };
    let Some(word) = near.first() else { return };
    let mut all_of = last.all_of;
    all_of.push(word_group(number, word, true));
    push(probes, all_of);
    if let Some(probe) = probes.last_mut() {
        probe.is_narrower = true;
    }
}

/// By each number with the words behind it, first as typed and then as mistyped.
fn push_numbers(probes: &mut Vec<Probe>, query: &Query, numbers: &BTreeSet<u32>) {
    let Some((number, near, far)) = beside_number(query) else {
        return;
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

/// The number that stands with the street, the words beside it, and those on its other side.
fn beside_number(query: &Query) -> Option<(u32, Vec<&Token>, Vec<&Token>)> {
    let tokens = query.tokens();
    let first = tokens.iter().position(|token| token.unit().is_some())?;
    let last = tokens.iter().rposition(|token| token.unit().is_some())?;
    let unit = tokens.get(last)?.unit()?;
    // The last number stands with the street; a flat typed last has its building before it.
    let values = query.parsed.units[unit].label.values();
    let mut all = query
        .parsed
        .units
        .iter()
        .flat_map(|unit| unit.label.values());
    let number = values.first().copied().or_else(|| all.next())?;
    let behind = naming(&tokens[last + 1..]);
    let before = naming(&tokens[..first]);
    Some(if behind.is_empty() {
        (number, before, Vec::new())
    } else {
        (number, behind, before)
    })
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
