//! Parts of a house that have a name in place of a number: `Ground Floor Flat`, `Annexe`.

use crate::distance::typing_errors;
use crate::number::{Label, read_label, read_number};
use crate::text::Lexeme;
use crate::words;

/// `R/O 12 HIGH STREET`: at the rear of it.
pub(super) fn is_rear(rest: &[Lexeme]) -> bool {
    let second = matches!(rest.get(1), Some(Lexeme::Slash));
    second && matches!(rest.get(2), Some(Lexeme::Word(word)) if word == "O")
}

/// `LAND AT`, `LAND ADJACENT TO`: without that it is a name.
pub(super) fn says_where(rest: &[Lexeme]) -> bool {
    let places = [
        "AT",
        "ADJ",
        "ADJACENT",
        "ADJOINING",
        "BEHIND",
        "REAR",
        "TO",
        "OFF",
    ];
    matches!(rest.get(1), Some(Lexeme::Word(next)) if places.contains(&next.as_str()))
}

/// `GROUND FLOOR FLAT`, `FLAT GROUND FLOOR`, `TOP FLAT`, `FIRST AND SECOND FLOORS`, and `TOP LEFT`
/// where it is all that stands before the building's number.
pub(super) fn read_storey(rest: &[Lexeme], begins_part: bool) -> Option<(String, usize)> {
    let word = |at: usize| word_at(rest, at);
    let is_flat = |at: usize| ["FLAT", "FLT", "APARTMENT", "APT"].contains(&word(at));
    let mut at = usize::from(is_flat(0));
    let begins_with_flat = at == 1;
    let mut code = String::new();
    loop {
        let mistyped = || mistyped_storey(word(at)).filter(|_| is_floor(word(at + 1)));
        if let Some(storey) = words::storey(word(at)).or_else(mistyped) {
            code.push_str(storey);
        } else if code.is_empty() || !joins(rest.get(at)) || words::storey(word(at + 1)).is_none() {
            break;
        }
        at += 1;
    }
    if code.is_empty() {
        return None;
    }
    let mut has_floor = false;
    // `GROUND-FLOOR`
    at += usize::from(rest.get(at) == Some(&Lexeme::Hyphen) && is_floor(word(at + 1)));
    loop {
        if is_floor(word(at)) && !has_floor {
            has_floor = true;
        } else if let Some(side) = words::side(word(at)) {
            code.push_str(side);
        } else {
            break;
        }
        at += 1;
    }
    let has_flat = !begins_with_flat && is_flat(at) && !names_own_label(rest.get(at + 1..)?);
    at += usize::from(has_flat);
    let is_alone = begins_part && ends_before_number(rest, at);
    (has_floor || has_flat || begins_with_flat || is_alone).then_some((code, at))
}

fn word_at(rest: &[Lexeme], at: usize) -> &str {
    match rest.get(at) {
        Some(Lexeme::Word(word)) => word,
        Some(Lexeme::Glued(_) | Lexeme::Hyphen | Lexeme::Slash | Lexeme::Break) | None => "",
    }
}

/// `FRIST FLOOR`
fn mistyped_storey(word: &str) -> Option<&'static str> {
    let storeys = ["GROUND", "FIRST", "SECOND", "THIRD", "BASEMENT"];
    // Most words are told apart by their first letter; two that are swapped have the second there.
    let begins = |storey: &&str| {
        word.bytes()
            .take(2)
            .any(|letter| storey.as_bytes()[0] == letter)
    };
    let is_it = |storey: &&str| begins(storey) && typing_errors(word, storey, 1).is_some();
    storeys.into_iter().find(is_it)
}

fn is_floor(word: &str) -> bool {
    let is_mistyped = (4..=6).contains(&word.len()) && typing_errors(word, "FLOOR", 1).is_some();
    ["FLR", "FLOORS", "FL", "LEVEL"].contains(&word) || is_mistyped
}

fn joins(lexeme: Option<&Lexeme>) -> bool {
    match lexeme {
        Some(Lexeme::Hyphen | Lexeme::Slash) => true,
        Some(Lexeme::Word(word)) => word == "AND" || word == "TO",
        Some(Lexeme::Glued(_) | Lexeme::Break) | None => false,
    }
}

/// Whether the part of the address ends here, and the next one begins with a number.
fn ends_before_number(rest: &[Lexeme], at: usize) -> bool {
    let behind = rest.get(at..).unwrap_or_default();
    let mut next = behind.iter().skip_while(|lexeme| **lexeme == Lexeme::Break);
    let is_number = matches!(next.next(), Some(Lexeme::Word(word)) if read_number(word).is_some());
    is_number && behind.first() == Some(&Lexeme::Break)
}

/// A small house, a berth or the like, which a number does not make a flat.
#[derive(Debug)]
pub(super) enum Small {
    /// `VILLA 2`, `PITCH 12`.
    Numbered(&'static str, Result<Label, ()>),
    /// `THE LODGE, 26 HIGH STREET`.
    Alone(&'static str),
}

/// Reads one where a part of the address begins, and how many lexemes it takes.
pub(super) fn read_small(rest: &[Lexeme]) -> Option<(Small, usize)> {
    let (code, used) = match (word_at(rest, 0), word_at(rest, 1)) {
        ("COACH" | "GATE" | "SUMMER" | "BOAT", "HOUSE") => ("COACH HOUSE", 2),
        ("PARKING" | "CAR", "SPACE" | "BAY") => ("SPACE", 2),
        (word, _) => (words::small(word)?, 1),
    };
    let mut skipped = used;
    while ["NO", "NUMBER"].contains(&word_at(rest, skipped)) {
        skipped += 1;
    }
    if let Some((label, taken)) = rest.get(skipped..).and_then(read_label) {
        return Some((Small::Numbered(code, label), skipped + taken));
    }
    let is_alone = words::is_small_alone(code) && ends_before_number(rest, used);
    is_alone.then_some((Small::Alone(code), used))
}

pub(super) fn names_own_label(rest: &[Lexeme]) -> bool {
    // `GROUND FLOOR FLAT 2 …` could be flat 2, or no. 2: only a second number behind it tells.
    let mut numbers = rest
        .iter()
        .filter(|lexeme| matches!(lexeme, Lexeme::Word(word) if read_number(word).is_some()));
    matches!(rest.first(), Some(Lexeme::Word(word)) if read_number(word).is_some())
        && numbers.nth(1).is_some()
}

/// Whether nothing follows in the same part of the address that the word could be the name of:
/// `ATTIC, 12 …`, `attic 12 …`, `ATTIC FLAT`, `GARAGE AT`, but not `ATTIC ROOMS`.
pub(super) fn stands_alone(rest: &[Lexeme]) -> bool {
    match rest.get(1) {
        Some(Lexeme::Word(next)) => {
            read_number(next).is_some() || ["AT", "FLAT", "APARTMENT"].contains(&next.as_str())
        }
        Some(Lexeme::Glued(_) | Lexeme::Hyphen | Lexeme::Slash) => false,
        Some(Lexeme::Break) | None => true,
    }
}
