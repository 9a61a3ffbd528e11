//! Reads parts of a house with a name instead of a number: `Ground Floor Flat`, `Annexe`.

use crate::distance::typing_errors;
use crate::number::{Label, Unreadable, is_number, read_label};
use crate::text::{Lexeme, word_at};
use crate::words;

/// Reads `GROUND FLOOR FLAT`, `FLAT GROUND FLOOR`, `TOP FLAT` and `FIRST AND SECOND FLOORS`, and
/// `TOP LEFT` when nothing else precedes the building's number. Returns the code and how many
/// lexemes it takes.
pub(super) fn read_storey(rest: &[Lexeme], begins_part: bool) -> Option<(String, usize)> {
    let word = |at: usize| word_at(rest, at);
    let is_flat = |at: usize| ["FLAT", "FLT", "APARTMENT", "APT"].contains(&word(at));
    let begins_with_flat = is_flat(0);
    let (mut code, mut at) = read_storeys(rest, usize::from(begins_with_flat));
    if code.is_empty() {
        return None;
    }
    // `GROUND-FLOOR`
    at += usize::from(rest.get(at) == Some(&Lexeme::Hyphen) && is_floor(word(at + 1)));
    let mut has_floor = false;
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
    let has_flat = !begins_with_flat && is_flat(at) && !has_own_label(&rest[at + 1..]);
    at += usize::from(has_flat);
    let is_alone = begins_part && ends_before_number(rest, at);
    (has_floor || has_flat || begins_with_flat || is_alone).then_some((code, at))
}

/// The storeys from an index on, as one code, and the index behind them.
fn read_storeys(rest: &[Lexeme], mut at: usize) -> (String, usize) {
    let word = |at: usize| word_at(rest, at);
    let mut code = String::new();
    loop {
        let mistyped = || mistyped_storey(word(at)).filter(|_| is_floor(word(at + 1)));
        if let Some(storey) = words::storey(word(at)).or_else(mistyped) {
            code.push_str(storey);
        } else if code.is_empty() || !joins(rest.get(at)) || words::storey(word(at + 1)).is_none() {
            return (code, at);
        }
        at += 1;
    }
}

/// Reads `FRIST FLOOR`.
fn mistyped_storey(word: &str) -> Option<&'static str> {
    let storeys = ["GROUND", "FIRST", "SECOND", "THIRD", "BASEMENT"];
    // Comparing first letters rules out most words. Swapped letters put the first one second.
    let begins = |storey: &&str| {
        let mut letters = word.bytes().take(2);
        letters.any(|letter| storey.as_bytes()[0] == letter)
    };
    let is_mistyped = |storey: &&str| begins(storey) && typing_errors(word, storey, 1).is_some();
    storeys.into_iter().find(is_mistyped)
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
    let next = (at..rest.len()).find(|next| rest[*next] != Lexeme::Break);
    next.is_some_and(|next| next > at && is_number(word_at(rest, next)))
}

/// A small house, a berth or a parking space. Its number is no flat's number.
#[derive(Debug)]
pub(super) enum NamedUnit {
    /// `VILLA 2`, `PITCH 12`.
    Numbered(&'static str, Result<Label, Unreadable>),
    /// `THE LODGE, 26 HIGH STREET`.
    Alone(&'static str),
}

/// Reads a named unit at the beginning of a part of the address. Returns how many lexemes it takes.
pub(super) fn read_named_unit(rest: &[Lexeme]) -> Option<(NamedUnit, usize)> {
    let (code, used) = match (word_at(rest, 0), word_at(rest, 1)) {
        ("COACH" | "GATE" | "SUMMER" | "BOAT", "HOUSE") => ("COACH HOUSE", 2),
        ("PARKING" | "CAR", "SPACE" | "BAY") => ("SPACE", 2),
        (word, _) => (words::named_unit(word)?, 1),
    };
    let mut skipped = used;
    while ["NO", "NUMBER"].contains(&word_at(rest, skipped)) {
        skipped += 1;
    }
    if let Some((label, taken)) = rest.get(skipped..).and_then(read_label) {
        return Some((NamedUnit::Numbered(code, label), skipped + taken));
    }
    let is_alone = words::stands_without_number(code) && ends_before_number(rest, used);
    is_alone.then_some((NamedUnit::Alone(code), used))
}

/// Whether the first number belongs to the flat before it. The `2` of `GROUND FLOOR FLAT 2 …` may
/// be the flat or the building: only a second number behind it tells.
pub(super) fn has_own_label(rest: &[Lexeme]) -> bool {
    let mut numbers = (0..rest.len()).filter(|at| is_number(word_at(rest, *at)));
    numbers.next() == Some(0) && numbers.next().is_some()
}

/// Whether `LAND` is followed by a position, as in `LAND AT` and `LAND ADJACENT TO`. Otherwise it
/// is a name.
pub(super) fn is_land_somewhere(rest: &[Lexeme]) -> bool {
    POSITIONS.contains(&word_at(rest, 1))
}

#[rustfmt::skip]
const POSITIONS: &[&str] = &["AT", "ADJ", "ADJACENT", "ADJOINING", "BEHIND", "REAR", "TO", "OFF"];

/// Whether no name can follow in the same part of the address. None does in `ATTIC, 12 …`,
/// `attic 12 …`, `ATTIC FLAT` and `GARAGE AT`, but one does in `ATTIC ROOMS`.
pub(super) fn stands_alone(rest: &[Lexeme]) -> bool {
    match rest.get(1) {
        Some(Lexeme::Word(next)) => {
            is_number(next) || ["AT", "FLAT", "APARTMENT"].contains(&next.as_str())
        }
        Some(Lexeme::Glued(_) | Lexeme::Hyphen | Lexeme::Slash) => false,
        Some(Lexeme::Break) | None => true,
    }
}
