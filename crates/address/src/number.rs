//! The numbers of buildings and flats: 12, 12A, 12-14, 2/12.

use crate::text::{Lexeme, word_at};
use crate::words::Marker;

const DIGITS_MAX: usize = 5;

/// A number with an optional letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Number {
    pub(crate) value: u32,
    pub(crate) letter: Option<u8>,
}

/// The number, letter or code that tells a building or flat from its neighbours.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Label {
    /// `12`, `12A`.
    One(Number),
    /// `12-14`, `12 to 14`, `12 & 14`.
    Range(Number, Number),
    /// `2/12`: flat 2 of number 12, or 2 to 12.
    Slash(Number, Number),
    /// The `A` of `Flat A`.
    Letter(u8),
    /// The `B12` of `Flat B12`, or the `GROUND` of `Ground Floor Flat`.
    Code(String),
}

/// A label and the kind of building, flat or room that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Unit {
    pub(crate) marker: Marker,
    pub(crate) label: Label,
}

/// A part that looks like a number and cannot be understood. S-7 never ignores it.
#[derive(Debug)]
pub(crate) struct Unreadable;

/// The numbers of a range. If both ends are even or both are odd, it has the numbers of that side of the
/// street, otherwise all numbers between.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    first: u32,
    last: u32,
}

impl Range {
    pub(crate) fn covers(self, number: u32) -> bool {
        let is_one_side = self.first.abs_diff(self.last).is_multiple_of(2);
        (self.first..=self.last).contains(&number)
            && (!is_one_side || self.first.abs_diff(number).is_multiple_of(2))
    }
}

impl Label {
    /// The range, if both ends are plain numbers.
    pub(crate) fn range(&self) -> Option<Range> {
        let Self::Range(first, last) = self else {
            return None;
        };
        let is_plain = first.letter.is_none() && last.letter.is_none();
        is_plain.then_some(Range {
            first: first.value,
            last: last.value,
        })
    }

    /// Whether this is the other number with a letter: 37A of 37.
    pub(crate) fn is_with_letter(&self, other: &Self) -> bool {
        matches!((self, other), (Self::One(own), Self::One(other))
            if own.value == other.value && own.letter.is_some() && other.letter.is_none())
    }

    /// The label's numbers without letters, as the index holds them.
    pub(crate) fn values(&self) -> Vec<u32> {
        match self {
            Self::One(one) => vec![one.value],
            Self::Range(first, last) | Self::Slash(first, last) if first.value == last.value => {
                vec![first.value]
            }
            Self::Range(first, last) | Self::Slash(first, last) => vec![first.value, last.value],
            Self::Letter(_) | Self::Code(_) => Vec::new(),
        }
    }
}

/// Reads `12` and `12A`, without leading zeros.
pub(crate) fn read_number(word: &str) -> Option<Number> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (value, rest) = word.split_at(digits);
    if digits == 0 || digits > DIGITS_MAX {
        return None;
    }
    let letter = match rest {
        "" => None,
        letter => Some(read_letter(letter)?),
    };
    let value = value.parse().ok()?;
    Some(Number { value, letter })
}

pub(crate) fn is_number(word: &str) -> bool {
    read_number(word).is_some()
}

pub(crate) fn read_letter(word: &str) -> Option<u8> {
    match word.as_bytes() {
        [letter] if letter.is_ascii_uppercase() => Some(*letter),
        _ => None,
    }
}

/// The label at the beginning of these lexemes, and how many lexemes it takes.
pub(crate) fn read_label(lexemes: &[Lexeme]) -> Option<(Result<Label, Unreadable>, usize)> {
    let Some(number) = read_number(word_at(lexemes, 0)) else {
        return read_letter_first(lexemes);
    };
    let (number, used) = with_separate_letter(number, lexemes);
    let Some((joint, second)) = read_joint(number, &lexemes[used..]) else {
        return Some((Ok(Label::One(number)), used));
    };
    let end = used + 2;
    let goes_on = matches!(lexemes.get(end), Some(Lexeme::Hyphen | Lexeme::Slash))
        && word_at(lexemes, end + 1).starts_with(|first: char| first.is_ascii_digit());
    let has_range = lexemes.get(end) == Some(&Lexeme::Hyphen);
    Some(match joint {
        // `4/155-157` is a flat and a range: the caller reads the range as the next label.
        Joint::Slash if goes_on && has_range => (Ok(Label::One(number)), used + 1),
        _ if goes_on => (Err(Unreadable), end),
        Joint::Hyphen => (Ok(Label::Range(number, second)), end),
        Joint::Slash => (Ok(Label::Slash(number, second)), end),
    })
}

enum Joint {
    Hyphen,
    Slash,
}

/// Reads `A/37` and `A-37` as 37A. A single letter is a label only behind a marker.
fn read_letter_first(lexemes: &[Lexeme]) -> Option<(Result<Label, Unreadable>, usize)> {
    let letter = Some(read_letter(word_at(lexemes, 0))?);
    let is_joined = matches!(lexemes.get(1), Some(Lexeme::Hyphen | Lexeme::Slash));
    let number = read_number(word_at(lexemes, 2));
    let number = number.filter(|number| is_joined && number.letter.is_none())?;
    Some((Ok(Label::One(Number { letter, ..number })), 3))
}

/// Adds the letter of `13 A`, `13-A` and `13/A` to the number.
fn with_separate_letter(number: Number, lexemes: &[Lexeme]) -> (Number, usize) {
    let is_joined = matches!(lexemes.get(1), Some(Lexeme::Hyphen | Lexeme::Slash));
    let at = 1 + usize::from(is_joined);
    let letter = read_letter(word_at(lexemes, at));
    if letter.is_none() || number.letter.is_some() {
        return (number, 1);
    }
    (Number { letter, ..number }, at + 1)
}

/// Reads `-14`, `/14`, `to 14`, `and 14`, and the `-C` of `12A-C`: always two lexemes.
fn read_joint(first: Number, rest: &[Lexeme]) -> Option<(Joint, Number)> {
    let joint = match rest.first()? {
        Lexeme::Hyphen => Joint::Hyphen,
        Lexeme::Slash => Joint::Slash,
        Lexeme::Word(word) if word == "TO" || word == "AND" => Joint::Hyphen,
        Lexeme::Word(_) | Lexeme::Glued(_) | Lexeme::Break => return None,
    };
    let second = word_at(rest, 1);
    if let Some(number) = read_number(second) {
        return Some((joint, number));
    }
    let letter = Some(read_letter(second).filter(|_| first.letter.is_some())?);
    Some((Joint::Hyphen, Number { letter, ..first }))
}
