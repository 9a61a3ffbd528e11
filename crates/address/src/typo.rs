//! Compares a typed word with a stored one and allows for typing errors.

use crate::distance::typing_errors;
use crate::parse::{Class, Token};
use crate::words::{self, is_widespread};

/// A replaced letter makes another name of a word up to this length too often.
const SHORT_WORD: usize = 5;

const KEYBOARD_ROWS: [&str; 3] = ["QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM"];

/// How likely a mistyped word is another name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Risk {
    /// A typing error in the middle of a long word.
    #[default]
    None,
    /// The first letter is lost or added: `Ilton` is Hilton or Milton.
    Slight,
    /// The word may be another name: `Norton` for `Morton`, `Hull` for `Hill`.
    Great,
}

/// The typing errors of one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Typos {
    pub(crate) count: usize,
    pub(crate) risk: Risk,
}

/// Compares two words. `None` when the typed one is no mistyping of the stored one.
pub(crate) fn typos(typed: &Token, stored: &Token) -> Option<Typos> {
    if is_same(typed, stored) {
        return Some(Typos::default());
    }
    let is_known = typed.spelling.is_some() || typed.is_glued;
    if is_known || !may_be_mistyped(typed) || !may_be_mistyped(stored) {
        return None;
    }
    // `CHINGFORDCL` is no mistyped Chingford Road.
    let rest = typed.written.strip_prefix(&stored.written);
    if rest.is_some_and(is_street_type) {
        return None;
    }
    let is_typed_widespread = is_widespread(&typed.written);
    let is_plural = stored.written.trim_end_matches('S') == typed.written.trim_end_matches('S');
    if is_typed_widespread && is_widespread(&stored.written) && !is_plural {
        return None;
    }
    let forms = stored.spelling.map_or(&[][..], |spelling| spelling.forms);
    let forms = [stored.written.as_str()]
        .into_iter()
        .chain(forms.iter().copied());
    let best = forms
        .filter_map(|form| spelling_typos(&typed.written, form))
        .min()?;
    let risk = if is_typed_widespread {
        Risk::Great
    } else {
        best.risk
    };
    Some(Typos { risk, ..best })
}

/// Whether two words are the same in any of their spellings.
pub(crate) fn is_same(typed: &Token, stored: &Token) -> bool {
    typed.text() == stored.text() || words::compass_of(typed.text()) == Some(stored.text())
}

fn is_street_type(word: &str) -> bool {
    words::spelling(word).is_some_and(|spelling| spelling.is_street_type)
}

fn may_be_mistyped(token: &Token) -> bool {
    match token.class {
        Class::Name | Class::StreetType | Class::County => true,
        Class::Filler | Class::Letter | Class::Verbatim | Class::Unit(_) => false,
    }
}

/// Compares two spellings. A word of four letters may have one error, a word of eight two.
fn spelling_typos(typed: &str, stored: &str) -> Option<Typos> {
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
    let is_other_name = if is_replacement {
        differs_first || is_another_name(typed, stored)
    } else {
        differs_in_plural(typed, stored)
    };
    let risk = match count {
        0 => Risk::None,
        _ if is_other_name => Risk::Great,
        _ if differs_first && !is_swap => Risk::Slight,
        _ => Risk::None,
    };
    Some(Typos { count, risk })
}

/// Whether replaced letters make another name rather than a typing error. They do in a short word,
/// two at once, a vowel for a vowel (`Grenville` and `Granville`), or with keys that are far apart
/// (`Clinton` and `Clifton`).
fn is_another_name(typed: &str, stored: &str) -> bool {
    let pairs = typed.chars().zip(stored.chars());
    let mut replaced = pairs.filter(|(typed, stored)| typed != stored);
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
    let key = |letter: char| {
        let mut rows = KEYBOARD_ROWS.iter().zip(0_usize..);
        rows.find_map(|(row, at)| row.find(letter).map(|column| (at, column)))
    };
    let (Some(first), Some(second)) = (key(first), key(second)) else {
        return false;
    };
    first.0.abs_diff(second.0) <= 1 && first.1.abs_diff(second.1) <= 1
}

/// `Brookland` and `Brooklands` are different streets.
fn differs_in_plural(typed: &str, stored: &str) -> bool {
    typed.strip_suffix('S') == Some(stored) || stored.strip_suffix('S') == Some(typed)
}

fn is_anagram(first: &str, second: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(first) == sorted(second)
}
