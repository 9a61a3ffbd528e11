//! Finds the words of a query among the words of a stored address.

use crate::distance::typing_errors;
use crate::parse::{Class, Token};
use crate::words::{self, Spelling};

/// How likely a mistyped word is another name altogether.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Risk {
    /// A typing error in the middle of a long word.
    #[default]
    None,
    /// The first letter is lost or added: `Ilton` is Hilton or Milton.
    Slight,
    /// It could be another name as well: `Norton` for `Morton`, `Hull` for `Hill`.
    Great,
}

/// How far a word is from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Errors {
    /// Typing errors.
    pub(crate) count: usize,
    pub(crate) risk: Risk,
}

/// Compares two words; `None` when one is no typing error of the other.
pub(crate) fn errors(typed: &Token, stored: &Token) -> Option<Errors> {
    let is_compass = words::compass_of(typed.text()) == Some(stored.text());
    if typed.text() == stored.text() || is_compass {
        return Some(Errors::default());
    }
    // A word that is known is not mistyped, and a number-like one is never forgiven.
    if typed.spelling.is_some()
        || typed.is_glued
        || !may_be_mistyped(typed)
        || !may_be_mistyped(stored)
    {
        return None;
    }
    // `CHINGFORDCL` is no mistyped Chingford Road.
    let rest = typed.written.strip_prefix(&stored.written);
    if rest.is_some_and(is_street_type) {
        return None;
    }
    let mut best = written_errors(&typed.written, &stored.written);
    for form in stored
        .spelling
        .map_or(&[][..], |spelling: &Spelling| spelling.forms)
    {
        let found = written_errors(&typed.written, form);
        best = match (best, found) {
            (Some(best), Some(found)) => Some(best.min(found)),
            (best, found) => best.or(found),
        };
    }
    let is_widespread = words::is_widespread(&typed.written);
    let is_plural = stored.written.trim_end_matches('S') == typed.written.trim_end_matches('S');
    if is_widespread && words::is_widespread(&stored.written) && !is_plural {
        return None;
    }
    best.map(|errors| Errors {
        risk: if is_widespread {
            Risk::Great
        } else {
            errors.risk
        },
        ..errors
    })
}

fn is_street_type(word: &str) -> bool {
    words::spelling(word).is_some_and(|spelling| spelling.is_street_type)
}

fn may_be_mistyped(token: &Token) -> bool {
    match token.class {
        Class::Name | Class::StreetType | Class::County => true,
        Class::Filler | Class::Letter | Class::Odd | Class::Unit(_) => false,
    }
}

/// One error in words of four letters, two in words of eight.
pub(crate) fn written_errors(typed: &str, stored: &str) -> Option<Errors> {
    let (typed_length, length) = (typed.chars().count(), stored.chars().count());
    let most = match length.min(typed_length + 1) {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    };
    let count = typing_errors(typed, stored, most)?;
    let is_replacement = count > 0 && typed_length == length && !is_anagram(typed, stored);
    let differs_first = typed.chars().next() != stored.chars().next();
    let is_swap = typed.chars().nth(1) == stored.chars().next();
    let is_name = is_replacement && (differs_first || is_another_name(typed, stored));
    let is_ending = !is_replacement && differs_in_ending(typed, stored);
    let risk = match count {
        0 => Risk::None,
        _ if is_name || is_ending => Risk::Great,
        _ if differs_first && !is_swap => Risk::Slight,
        _ => Risk::None,
    };
    Some(Errors { count, risk })
}

/// Whether replaced letters make another name rather than a typing error: in a short word, two at
/// once, a vowel for a vowel (`Grenville` and `Granville`), or keys that are far apart (`Clinton`
/// and `Clifton`).
fn is_another_name(typed: &str, stored: &str) -> bool {
    let mut replaced = typed
        .chars()
        .zip(stored.chars())
        .filter(|(typed, stored)| typed != stored);
    let Some((first, second)) = replaced.next() else {
        return false;
    };
    let is_vowel = |letter: char| "AEIOUY".contains(letter);
    stored.chars().count() <= SHORT_WORD
        || replaced.next().is_some()
        || is_vowel(first) && is_vowel(second)
        || !are_neighbours(first, second)
}

/// Whether two letters are next to each other on a keyboard.
fn are_neighbours(first: char, second: char) -> bool {
    let place = |letter: char| {
        let mut rows = KEYS.iter().zip(0_usize..);
        rows.find_map(|(row, at)| row.find(letter).map(|column| (at, column)))
    };
    let (Some(first), Some(second)) = (place(first), place(second)) else {
        return false;
    };
    first.0.abs_diff(second.0) <= 1 && first.1.abs_diff(second.1) <= 1
}

const KEYS: [&str; 3] = ["QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM"];

/// `Brookland` and `Brooklands` are streets of their own.
fn differs_in_ending(typed: &str, stored: &str) -> bool {
    typed.strip_suffix('S') == Some(stored) || stored.strip_suffix('S') == Some(typed)
}

/// A replaced letter makes another name of a word up to this length too often.
const SHORT_WORD: usize = 5;

fn is_anagram(first: &str, second: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(first) == sorted(second)
}

/// Which words of a query have found which stored words.
#[derive(Debug, Clone)]
pub(crate) struct Pairing<'a> {
    typed: &'a [Token],
    stored: &'a [Token],
    /// For each word of the query, the stored word it is.
    pub(crate) found: Vec<Option<usize>>,
    is_taken: Vec<bool>,
    pub(crate) errors: usize,
    pub(crate) risk: Risk,
}

impl<'a> Pairing<'a> {
    pub(crate) fn new(typed: &'a [Token], stored: &'a [Token]) -> Self {
        Self {
            typed,
            stored,
            found: vec![None; typed.len()],
            is_taken: vec![false; stored.len()],
            errors: 0,
            risk: Risk::None,
        }
    }

    /// The best of these stored words for a word of the query.
    pub(crate) fn best(&self, at: usize, among: &[usize]) -> Option<(usize, Errors)> {
        let free = among.iter().filter(|stored| !self.is_taken[**stored]);
        let errors = free.filter_map(|stored| {
            errors(&self.typed[at], &self.stored[*stored]).map(|errors| (*stored, errors))
        });
        errors.min_by_key(|(stored, errors)| (*errors, *stored))
    }

    pub(crate) fn take(&mut self, at: usize, stored: usize, errors: Errors) {
        self.found[at] = Some(stored);
        self.is_taken[stored] = true;
        self.errors += errors.count;
        self.risk = self.risk.max(errors.risk);
    }

    pub(crate) fn is_taken(&self, stored: usize) -> bool {
        self.is_taken[stored]
    }

    /// One word of the query that is two or three neighbouring stored words: `HIGHSTREET`. Takes
    /// them and returns whether it is so.
    pub(crate) fn take_joined(&mut self, at: usize, among: &[usize]) -> bool {
        let typed = &self.typed[at];
        if typed.class != Class::Name || typed.written.len() < JOINED_MIN {
            return false;
        }
        for length in [2, 3] {
            for run in among.windows(length) {
                if run.iter().any(|stored| self.is_taken[*stored]) {
                    continue;
                }
                let Some(errors) = self.joined_errors(&typed.written, run) else {
                    continue;
                };
                let run = run.to_vec();
                for stored in run {
                    self.take(at, stored, Errors::default());
                }
                self.errors += errors.count + 1;
                self.risk = self.risk.max(errors.risk);
                return true;
            }
        }
        false
    }

    fn joined_errors(&self, typed: &str, run: &[usize]) -> Option<Errors> {
        let mut joined = vec![String::new()];
        for stored in run {
            let token = &self.stored[*stored];
            let forms = token.spelling.map_or(&[][..], |spelling| spelling.forms);
            let short = token.spelling.map(|spelling| spelling.short);
            let spelled: Vec<&str> = forms.iter().copied().chain(short).collect();
            let spelled = if spelled.is_empty() {
                vec![token.written.as_str()]
            } else {
                spelled
            };
            joined = joined
                .iter()
                .flat_map(|start| spelled.iter().map(move |form| format!("{start}{form}")))
                .collect();
        }
        let compared = joined
            .iter()
            .filter_map(|joined| written_errors(typed, joined));
        compared.min().filter(|errors| errors.count == 0)
    }

    /// Two neighbouring words of the query that are one stored word: `HAVER STOCK`.
    pub(crate) fn take_split(&mut self, at: usize, among: &[usize]) -> bool {
        let Some(second) = self.typed.get(at + 1) else {
            return false;
        };
        if self.found[at + 1].is_some() || !self.typed[at].is_word() || !second.is_word() {
            return false;
        }
        let joined = format!("{}{}", self.typed[at].written, second.written);
        let is_it =
            |stored: &&usize| !self.is_taken[**stored] && self.stored[**stored].written == joined;
        let Some(stored) = among.iter().find(is_it).copied() else {
            return false;
        };
        self.take(at, stored, Errors::default());
        self.take(at + 1, stored, Errors::default());
        self.errors += 1;
        true
    }
}

/// Joined words are at least this long.
const JOINED_MIN: usize = 5;
