//! The probes of a query: which properties it asks a store for.

use std::collections::BTreeSet;

use crate::index::{
    LONG_AFFIX, SHORT_AFFIX, affix_tokens, district_number, number_word, postcode_number,
    postcode_token, street_token, verified_token, word_pair,
};
use crate::number::Unit;
use crate::parse::{Class, Token};
use crate::query::Query;
use crate::words::{is_common_in_names, resembles_street_type};

/// The most probes of one query.
const PROBES_MAX: usize = 12;

/// The most groups of one probe.
const GROUPS_MAX: usize = 8;

/// How many words of a name are tried as its first word.
const FIRST_WORDS_MAX: usize = 3;

/// The most words of a street's name, its type included.
const STREET_WORDS_MAX: usize = 5;

/// Asks for the properties that have at least one index token of each group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The groups of tokens. There is at least one, and none is empty.
    pub all_of: Vec<Vec<i32>>,
    /// The probe asks for some of the previous probe's properties. It is needed only when that
    /// answer was cut off.
    pub(crate) is_narrower: bool,
    /// The probe asks for all properties of the typed postcode.
    pub(crate) is_whole_postcode: bool,
}

impl Probe {
    /// Makes a probe of groups, none of which may be empty.
    pub fn of(all_of: Vec<Vec<i32>>) -> Self {
        Self {
            all_of,
            is_narrower: false,
            is_whole_postcode: false,
        }
    }

    /// The probe for the verified ones of these properties.
    pub(crate) fn of_verified(&self) -> Self {
        let groups = self.all_of.iter().take(GROUPS_MAX - 1);
        let verified = std::iter::once(vec![verified_token()]);
        Self::of(groups.cloned().chain(verified).collect())
    }
}

/// The probes of a query, the most promising first; at most twelve.
pub(crate) fn probes(query: &Query) -> Vec<Probe> {
    let values = |unit: &Unit| unit.label.values();
    let numbers: BTreeSet<u32> = query.parsed.units.iter().flat_map(values).collect();
    let mut probes = Vec::new();
    match query.postcode.outward() {
        Some(outward) => push_postcode(&mut probes, query, &numbers, outward),
        None if numbers.is_empty() => push_names(&mut probes, query),
        None => push_numbers(&mut probes, query, &numbers),
    }
    probes.truncate(PROBES_MAX);
    probes
}

fn push(probes: &mut Vec<Probe>, all_of: impl IntoIterator<Item = Vec<i32>>) {
    let all_of = all_of.into_iter().filter(|group| !group.is_empty());
    let mut all_of: Vec<Vec<i32>> = all_of.collect();
    all_of.dedup();
    all_of.truncate(GROUPS_MAX);
    let probe = Probe::of(all_of);
    if !probe.all_of.is_empty() && !probes.contains(&probe) {
        probes.push(probe);
    }
}

/// Adds probes by the postcode, and by its district for a near-certain match (S-7).
fn push_postcode(probes: &mut Vec<Probe>, query: &Query, numbers: &BTreeSet<u32>, outward: &str) {
    if let Some(postcode) = query.postcode.full() {
        let with_number = |number: &u32| vec![postcode_number(&postcode, *number)];
        push(probes, numbers.iter().map(with_number));
        push(probes, [vec![postcode_token(&postcode)]]);
        if let Some(probe) = probes.last_mut() {
            probe.is_whole_postcode = true;
        }
    }
    if numbers.is_empty() {
        push_names(probes, query);
        return;
    }
    let in_district = |number: &u32| vec![district_number(outward, *number)];
    push(probes, numbers.iter().map(in_district));
    push_narrower(probes, query);
}

/// Adds the word beside the number to the last probe, because a district may have the number too
/// often.
fn push_narrower(probes: &mut Vec<Probe>, query: &Query) {
    let (Some(last), Some(beside)) = (probes.last(), beside_number(query)) else {
        return;
    };
    let Some(word) = beside.near.first() else {
        return;
    };
    let mut all_of = last.all_of.clone();
    all_of.push(word_group(beside.number, word, true));
    push(probes, all_of);
    if let Some(probe) = probes.last_mut() {
        probe.is_narrower = true;
    }
}

/// Adds probes by each number and the words behind it, first as typed and then as mistyped.
fn push_numbers(probes: &mut Vec<Probe>, query: &Query, numbers: &BTreeSet<u32>) {
    let Some(BesideNumber { number, near, far }) = beside_number(query) else {
        return;
    };
    for has_errors in [false, true] {
        let group = |word: &&Token| word_group(number, word, has_errors);
        let mut all_of: Vec<Vec<i32>> = near.iter().map(group).collect();
        if near.len() < 2 {
            // The town was typed before the number.
            all_of.push(far.iter().flat_map(group).collect());
        }
        for other in numbers.iter().filter(|other| **other != number) {
            let group = |word: &&Token| word_group(*other, word, has_errors);
            all_of.push(near.iter().flat_map(group).collect());
        }
        push(probes, all_of);
    }
    let is_county = |word: &&&Token| word.class == Class::County;
    if near.iter().any(|word| is_county(&word)) {
        let names = near.iter().filter(|word| !is_county(word));
        push(probes, names.map(|word| word_group(number, word, true)));
    }
}

/// The number of the street, the words on its street's side, and the words on the other side.
struct BesideNumber<'a> {
    number: u32,
    near: Vec<&'a Token>,
    far: Vec<&'a Token>,
}

fn beside_number(query: &Query) -> Option<BesideNumber<'_>> {
    let tokens = query.tokens();
    let units = &query.parsed.units;
    let first = tokens.iter().position(|token| token.unit().is_some())?;
    let last = tokens.iter().rposition(|token| token.unit().is_some())?;
    // The last number is the street's. A flat typed last has its building before it.
    let values = units[tokens.get(last)?.unit()?].label.values();
    let all = units.iter().flat_map(|unit| unit.label.values());
    let number = values.into_iter().chain(all).next()?;
    let behind = naming(&tokens[last + 1..]);
    let before = naming(&tokens[..first]);
    let (near, far) = if behind.is_empty() {
        (before, behind)
    } else {
        (behind, before)
    };
    Some(BesideNumber { number, near, far })
}

/// The words that name something, without repeats.
fn naming(tokens: &[Token]) -> Vec<&Token> {
    let mut seen = BTreeSet::new();
    let words = tokens.iter().filter(|token| token.is_word());
    words
        .enumerate()
        .filter(|(at, token)| match token.class {
            Class::County => true,
            // A word that may be a mistyped street type is not indexed.
            Class::Name => {
                *at == 0 || token.spelling.is_some() || !resembles_street_type(&token.written)
            }
            // `12 Park Road`, `12 The Green`
            Class::StreetType => *at == 0,
            Class::Filler | Class::Letter | Class::Verbatim | Class::Unit(_) => false,
        })
        .map(|(_, token)| token)
        .filter(|token| seen.insert(token.text()))
        .take(GROUPS_MAX)
        .collect()
}

fn word_group(number: u32, word: &Token, has_errors: bool) -> Vec<i32> {
    let mut group = vec![number_word(number, word.text())];
    if has_errors && word.spelling.is_none() && word.written.chars().count() >= 3 {
        for letters in [SHORT_AFFIX, LONG_AFFIX] {
            group.extend(affix_tokens(number, &word.written, letters));
        }
    }
    group
}

/// Adds probes by the name of a house or street and the other words.
fn push_names(probes: &mut Vec<Probe>, query: &Query) {
    let words = naming(query.tokens());
    let firsts = 0..words.len().min(FIRST_WORDS_MAX);
    let pair = |first: usize, word: &Token| vec![word_pair(words[first].text(), word.text())];
    for first in firsts.clone() {
        let rest = &words[first + 1..];
        if rest.len() > 1 || rest.iter().any(|word| !is_common_in_names(word.text())) {
            push(probes, rest.iter().map(|word| pair(first, word)));
        }
    }
    for first in firsts {
        for word in words.iter().skip(first + 1).take(2) {
            push(probes, [pair(first, word)]);
        }
    }
    push_street(probes, query);
}

/// Adds the probe for a street without a number: `Mill Lane`, `Mill Lane Leeds`.
fn push_street(probes: &mut Vec<Probe>, query: &Query) {
    let outward = query.postcode.outward().unwrap_or_default();
    let words = query.tokens().iter().filter(|token| token.is_word());
    let words: Vec<&str> = words.map(Token::text).take(STREET_WORDS_MAX).collect();
    let starts = (1..=words.len()).map(|end| words[..end].join(" "));
    push(
        probes,
        [starts
            .map(|street| street_token(outward, &street))
            .collect()],
    );
}

/// Whether no text like this identifies a property: a town alone, a street alone, a number alone.
pub(crate) fn says_too_little(query: &Query) -> bool {
    let is_number = !query.parsed.units.is_empty();
    let is_text = !query.tokens().is_empty() || query.postcode.outward().is_some();
    let words = naming(query.tokens()).len();
    is_text
        && !query.parsed.is_unclear
        && query.postcode.full().is_none()
        && words + usize::from(is_number) < 2
}
