//! The index tokens of a stored address.

use std::collections::BTreeSet;

use crate::known::{Known, Stored};
use crate::parse::{Class, Token};
use crate::place::Place;
use crate::street::Street;

/// Raised whenever [`index_tokens`] gives other tokens for the same address. A store that was
/// built with another version builds its index anew.
pub const INDEX_VERSION: i64 = 2;

/// The most tokens that one address has.
pub const TOKENS_MAX: usize = 64;

/// The index tokens of a stored address: sorted, without repeats, at most [`TOKENS_MAX`]. The same
/// for ever as long as [`INDEX_VERSION`] is the same.
pub fn index_tokens(known: &Known<'_>) -> Vec<i32> {
    let stored = Stored::read(known);
    let mut tokens = Tokens::default();
    tokens.push_place(&stored);
    tokens.push_numbers(&stored);
    tokens.push_names(&stored);
    tokens.kept.into_iter().collect()
}

/// All properties of a postcode.
pub(crate) fn postcode_token(postcode: &str) -> i32 {
    hash(&["p", postcode])
}

/// A number in a postcode.
pub(crate) fn postcode_number(postcode: &str, number: u32) -> i32 {
    hash(&["pn", postcode, &number.to_string()])
}

/// A number in a postcode district.
pub(crate) fn district_number(outward: &str, number: u32) -> i32 {
    hash(&["on", outward, &number.to_string()])
}

/// A number with a word of the same address.
pub(crate) fn number_word(number: u32, word: &str) -> i32 {
    hash(&["nw", &number.to_string(), word])
}

/// Two words of one address: the first names the house or street.
pub(crate) fn word_pair(first: &str, second: &str) -> i32 {
    hash(&["ww", first, second])
}

/// The tokens by which a number with a mistyped word is found: the word's first and last letters.
/// One typing error leaves either alone. Shorter words have shorter forms.
pub(crate) fn number_forms(number: u32, word: &str, letters: usize) -> Vec<i32> {
    let number = number.to_string();
    let mut tokens = Vec::with_capacity(2);
    let characters: Vec<char> = word.chars().collect();
    if characters.len() < letters {
        return tokens;
    }
    let start: String = characters[..letters].iter().collect();
    let end: String = characters[characters.len() - letters..].iter().collect();
    tokens.push(hash(&["ns", &number, &start]));
    tokens.push(hash(&["ne", &number, &end]));
    tokens
}

/// Letters in the forms of a stored word; none below four letters.
fn form_letters(word: &str) -> Option<usize> {
    match word.chars().count() {
        0..=3 => None,
        4..=6 => Some(SHORT_FORM),
        _ => Some(LONG_FORM),
    }
}

/// `SOUTH` for `STH`: what is mistyped is the word in full.
fn long_form(word: &Token) -> &str {
    let Some(spelling) = word.spelling else {
        return &word.written;
    };
    let long = spelling.forms.first().copied().unwrap_or_default();
    if long.len() > spelling.short.len() {
        long
    } else {
        spelling.short
    }
}

pub(crate) const SHORT_FORM: usize = 2;
pub(crate) const LONG_FORM: usize = 3;

/// Words behind a number that are indexed with it.
const WORDS_MAX: usize = 10;

/// Numbers that are indexed.
const NUMBERS_MAX: usize = 4;

#[derive(Default)]
struct Tokens {
    kept: BTreeSet<i32>,
}

impl Tokens {
    fn push(&mut self, token: i32) {
        if self.kept.len() < TOKENS_MAX {
            self.kept.insert(token);
        }
    }

    fn push_place(&mut self, stored: &Stored) {
        let Place::Full { outward, .. } = &stored.place else {
            return;
        };
        let postcode = stored.place.full().unwrap_or_default();
        self.push(postcode_token(&postcode));
        for number in numbers(stored) {
            self.push(postcode_number(&postcode, number));
            self.push(district_number(outward, number));
        }
    }

    /// Each number with each word behind it that names something, first exactly and then in the
    /// forms that find it mistyped.
    fn push_numbers(&mut self, stored: &Stored) {
        let mut pairs = Vec::new();
        for (unit, label) in stored.units().iter().enumerate() {
            let Some(at) = stored.parsed.unit_at(unit) else {
                continue;
            };
            let words = words_from(stored, at);
            for number in label.label.values() {
                for word in &words {
                    pairs.push((number, *word));
                }
            }
        }
        for (number, word) in &pairs {
            self.push(number_word(*number, word.text()));
        }
        for (number, word) in pairs {
            let long = long_form(word);
            let Some(letters) = form_letters(long) else {
                continue;
            };
            for token in number_forms(number, long, letters) {
                self.push(token);
            }
        }
    }

    /// The first word of the house's name, and of the street, with each other word.
    fn push_names(&mut self, stored: &Stored) {
        let name = stored.name();
        let last = stored.units().len().checked_sub(1);
        let street = last.map(|unit| Street::behind(stored, unit).names);
        let keys = [
            name.first(),
            street.as_ref().and_then(|names| names.first()),
        ];
        for key in keys.into_iter().flatten() {
            let first = stored.tokens()[*key].text().to_owned();
            for word in words_from(stored, *key) {
                self.push(word_pair(&first, word.text()));
            }
        }
    }
}

fn numbers(stored: &Stored) -> BTreeSet<u32> {
    let values = stored.units().iter().flat_map(|unit| unit.label.values());
    values.take(NUMBERS_MAX).collect()
}

/// The words behind a place that name something: not the street's kind, and no filler.
fn words_from(stored: &Stored, at: usize) -> Vec<&Token> {
    let tokens = stored.tokens();
    let behind = tokens.iter().enumerate().skip(at + 1);
    let kinds: Vec<usize> = (0..stored.units().len())
        .filter_map(|unit| Street::behind(stored, unit).kind)
        .collect();
    let mut seen = BTreeSet::new();
    behind
        .filter(|(at, token)| match token.class {
            Class::Name | Class::County => true,
            Class::StreetType => !kinds.contains(at) && is_street_name(stored, *at),
            Class::Filler | Class::Letter | Class::Odd | Class::Unit(_) => false,
        })
        .map(|(_, token)| token)
        .filter(|token| seen.insert(token.text().to_owned()))
        .take(WORDS_MAX)
        .collect()
}

/// Whether a kind of street is a name here: `THE GREEN`, `PARK ROAD`.
fn is_street_name(stored: &Stored, at: usize) -> bool {
    (0..stored.units().len()).any(|unit| Street::behind(stored, unit).names.contains(&at))
}

/// FNV-1a over the parts, each ended by a byte that no part holds.
fn hash(parts: &[&str]) -> i32 {
    let mut hash: u32 = 0x811c_9dc5;
    for part in parts {
        for byte in part.bytes().chain([0]) {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }
    i32::from_ne_bytes(hash.to_ne_bytes())
}
