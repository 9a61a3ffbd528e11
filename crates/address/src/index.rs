//! The index tokens of a stored address.

use std::collections::BTreeSet;

use crate::known::{Known, StoredAddress};
use crate::named::Place;
use crate::number::Unit;
use crate::parse::{Class, Token};
use crate::postcode::Postcode;
use crate::street::Street;

/// The version of the tokens and normal forms. It rises whenever [`index_tokens`] or
/// [`crate::normalise`] returns something else for the same address, and a store with another version rebuilds its index.
pub const INDEX_VERSION: i64 = 5;

/// The most tokens of one address.
const TOKENS_MAX: usize = 64;

/// The most words behind a number that are indexed with it.
const WORDS_MAX: usize = 10;

/// The most numbers of one address that are indexed with its postcode.
const NUMBERS_MAX: usize = 4;

/// The letters at the ends of a stored word of four to six letters.
pub(crate) const SHORT_AFFIX: usize = 2;
/// The letters at the ends of a longer stored word.
pub(crate) const LONG_AFFIX: usize = 3;

/// The index tokens of a stored address: sorted, without repeats, at most 64. They are the same as
/// long as [`INDEX_VERSION`] is the same.
pub fn index_tokens(known: &Known<'_>, is_verified: bool) -> Vec<i32> {
    let stored = StoredAddress::read(known);
    let mut tokens = IndexTokens::default();
    if is_verified {
        tokens.push(verified_token());
    }
    tokens.push_postcode(&stored);
    tokens.push_street(&stored);
    tokens.push_numbers(&stored);
    tokens.push_names(&stored);
    tokens.kept.into_iter().collect()
}

/// The token of all verified properties.
pub(crate) fn verified_token() -> i32 {
    hash(&["v"])
}

/// The token of all properties in a postcode.
pub(crate) fn postcode_token(postcode: &str) -> i32 {
    hash(&["p", postcode])
}

/// The token of a number in a postcode.
pub(crate) fn postcode_number(postcode: &str, number: u32) -> i32 {
    hash(&["pn", postcode, &number.to_string()])
}

/// The token of a number in a postcode district.
pub(crate) fn district_number(outward: &str, number: u32) -> i32 {
    hash(&["on", outward, &number.to_string()])
}

/// The token of a number and a word of one address.
pub(crate) fn number_word(number: u32, word: &str) -> i32 {
    hash(&["nw", &number.to_string(), word])
}

/// The token of two words of one address, of which the first names the house or street.
pub(crate) fn word_pair(first: &str, second: &str) -> i32 {
    hash(&["ww", first, second])
}

/// The token of all properties in streets of this name, in one district or, if `outward` is empty, in
/// any.
pub(crate) fn street_token(outward: &str, street: &str) -> i32 {
    hash(&["st", outward, street])
}

/// The tokens that find a number with a mistyped word, by the word's first and last letters. One
/// typing error changes only one end. A word with too few letters has none.
pub(crate) fn affix_tokens(number: u32, word: &str, letters: usize) -> Vec<i32> {
    let number = number.to_string();
    let characters: Vec<char> = word.chars().collect();
    let Some(end_at) = characters.len().checked_sub(letters) else {
        return Vec::new();
    };
    let start: String = characters[..letters].iter().collect();
    let end: String = characters[end_at..].iter().collect();
    vec![hash(&["ns", &number, &start]), hash(&["ne", &number, &end])]
}

#[derive(Default)]
struct IndexTokens {
    kept: BTreeSet<i32>,
}

impl IndexTokens {
    fn push(&mut self, token: i32) {
        if self.kept.len() < TOKENS_MAX {
            self.kept.insert(token);
        }
    }

    fn push_postcode(&mut self, stored: &StoredAddress) {
        let Postcode::Full { outward, .. } = &stored.postcode else {
            return;
        };
        let postcode = stored.postcode.full().unwrap_or_default();
        self.push(postcode_token(&postcode));
        let numbers = stored.units().iter().flat_map(|unit| unit.label.values());
        let numbers: BTreeSet<u32> = numbers.take(NUMBERS_MAX).collect();
        for number in numbers {
            self.push(postcode_number(&postcode, number));
            self.push(district_number(outward, number));
        }
    }

    fn push_street(&mut self, stored: &StoredAddress) {
        let mut words: Vec<usize> = Place::of(stored).street.words().collect();
        words.sort_unstable();
        let words: Vec<&str> = words.iter().map(|at| stored.tokens()[*at].text()).collect();
        if !words.is_empty() {
            let outward = stored.postcode.outward().unwrap_or_default();
            self.push(street_token("", &words.join(" ")));
            self.push(street_token(outward, &words.join(" ")));
        }
    }

    /// Adds each number with each word behind it: first all words as they are, then the ends of
    /// words that may be mistyped.
    fn push_numbers(&mut self, stored: &StoredAddress) {
        let mut pairs = Vec::new();
        for (unit, Unit { label, .. }) in stored.units().iter().enumerate() {
            let Some(at) = stored.parsed.unit_at(unit) else {
                continue;
            };
            let words = words_behind(stored, at);
            for number in label.values() {
                pairs.extend(words.iter().map(|word| (number, *word)));
            }
        }
        for (number, word) in &pairs {
            self.push(number_word(*number, word.text()));
        }
        for (number, word) in pairs {
            let word = longest_spelling(word);
            let letters = match word.chars().count() {
                0..=3 => continue,
                4..=6 => SHORT_AFFIX,
                _ => LONG_AFFIX,
            };
            for token in affix_tokens(number, word, letters) {
                self.push(token);
            }
        }
    }

    /// Adds the first word of the house's name and of the street, with each word behind it.
    fn push_names(&mut self, stored: &StoredAddress) {
        let last = stored.units().len().checked_sub(1);
        let street = last.map(|unit| Street::behind(stored, unit).names);
        for name in [Some(stored.name()), street].into_iter().flatten() {
            let Some(first) = name.first() else { continue };
            for word in words_behind(stored, *first) {
                self.push(word_pair(stored.tokens()[*first].text(), word.text()));
            }
        }
    }
}

/// `SOUTH` for `STH`, because people mistype the full word.
fn longest_spelling(word: &Token) -> &str {
    let Some(spelling) = word.spelling else {
        return &word.written;
    };
    let full = spelling.forms.first().copied().unwrap_or_default();
    if full.len() > spelling.short.len() {
        full
    } else {
        spelling.short
    }
}

/// The words behind a token that name something. The type of a street and fillers do not.
fn words_behind(stored: &StoredAddress, at: usize) -> Vec<&Token> {
    let streets: Vec<Street> = (0..stored.units().len())
        .map(|unit| Street::behind(stored, unit))
        .collect();
    // `THE GREEN`, `PARK ROAD`
    let is_name = |at: usize| {
        let is_type = streets.iter().any(|street| street.street_type == Some(at));
        !is_type && streets.iter().any(|street| street.names.contains(&at))
    };
    let mut seen = BTreeSet::new();
    let behind = stored.tokens().iter().enumerate().skip(at + 1);
    behind
        .filter(|(at, token)| match token.class {
            Class::Name | Class::County => true,
            Class::StreetType => is_name(*at),
            Class::Filler | Class::Letter | Class::Verbatim | Class::Unit(_) => false,
        })
        .map(|(_, token)| token)
        .filter(|token| seen.insert(token.text()))
        .take(WORDS_MAX)
        .collect()
}

/// FNV-1a of the parts. A zero byte, which no part contains, ends each part.
fn hash(parts: &[&str]) -> i32 {
    let mut hash: u32 = 0x811c_9dc5;
    for part in parts {
        for byte in part.bytes().chain([0]) {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }
    i32::from_ne_bytes(hash.to_ne_bytes())
}
