//! The numbers of buildings and flats: 12, 12A, 12-14, 2/12.

use crate::text::Lexeme;
use crate::words::Marker;

/// A number with the letter behind it, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Number {
    pub(crate) value: u32,
    pub(crate) letter: Option<u8>,
}

/// What tells a building or flat from its neighbours.
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

/// A label with what announces it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Unit {
    pub(crate) marker: Marker,
    pub(crate) label: Label,
}

impl Label {
    /// The plain numbers in it, as the index has them: without letters.
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

/// Reads `12` and `12A`. Leading zeros fall away.
pub(crate) fn read_number(word: &str) -> Option<Number> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (value, rest) = word.split_at(digits);
    if digits == 0 || digits > DIGITS_MAX {
        return None;
    }
    let letter = match rest.as_bytes() {
        [] => None,
        [letter] if letter.is_ascii_uppercase() => Some(*letter),
        _ => return None,
    };
    let value = value.parse().ok()?;
    Some(Number { value, letter })
}

const DIGITS_MAX: usize = 5;

pub(crate) fn read_letter(word: &str) -> Option<u8> {
    match word.as_bytes() {
        [letter] if letter.is_ascii_uppercase() => Some(*letter),
        _ => None,
    }
}

/// The label at the beginning of these lexemes and how many it takes. `Err` is a piece that looks
/// like a number and cannot be understood, which S-7 never ignores.
pub(crate) fn read_label(lexemes: &[Lexeme]) -> Option<(Result<Label, ()>, usize)> {
    let Some(Lexeme::Word(first)) = lexemes.first() else {
        return None;
    };
    let Some(number) = read_number(first) else {
        return read_letter_first(first, lexemes);
    };
    let (number, used) = with_letter_apart(number, lexemes);
    let Some((joint, second, joined)) = read_joint(number, &lexemes[used..]) else {
        return Some((Ok(Label::One(number)), used));
    };
    let used = used + joined;
    let is_more = matches!(lexemes.get(used), Some(Lexeme::Hyphen | Lexeme::Slash))
        && matches!(lexemes.get(used + 1), Some(Lexeme::Word(word)) if word.starts_with(|c: char| c.is_ascii_digit()));
    if is_more {
        // `4/155-157` is a flat and a range: the caller reads the rest as the next label.
        let is_flat = matches!(joint, Joint::Slash) && lexemes.get(used) == Some(&Lexeme::Hyphen);
        let first_only = used - joined + 1;
        return Some(if is_flat {
            (Ok(Label::One(number)), first_only)
        } else {
            (Err(()), used)
        });
    }
    let label = match joint {
        Joint::Hyphen => Label::Range(number, second),
        Joint::Slash => Label::Slash(number, second),
    };
    Some((Ok(label), used))
}

enum Joint {
    Hyphen,
    Slash,
}

/// `A/37`, `A-37` read as 37A; a lone letter is a label only behind a marker.
fn read_letter_first(first: &str, lexemes: &[Lexeme]) -> Option<(Result<Label, ()>, usize)> {
    let letter = read_letter(first)?;
    let (Some(Lexeme::Hyphen | Lexeme::Slash), Some(Lexeme::Word(second))) =
        (lexemes.get(1), lexemes.get(2))
    else {
        return None;
    };
    let number = read_number(second).filter(|number| number.letter.is_none())?;
    let letter = Some(letter);
    Some((Ok(Label::One(Number { letter, ..number })), 3))
}

/// `13 A`, `13-A`, `13/A`: the letter belongs to the number.
fn with_letter_apart(number: Number, lexemes: &[Lexeme]) -> (Number, usize) {
    if number.letter.is_some() {
        return (number, 1);
    }
    let (at, used) = match lexemes.get(1) {
        Some(Lexeme::Hyphen | Lexeme::Slash) => (2, 3),
        Some(Lexeme::Word(_) | Lexeme::Glued(_) | Lexeme::Break) | None => (1, 2),
    };
    match lexemes.get(at) {
        Some(Lexeme::Word(word)) => match read_letter(word) {
            Some(letter) => (
                Number {
                    letter: Some(letter),
                    ..number
                },
                used,
            ),
            None => (number, 1),
        },
        Some(Lexeme::Glued(_) | Lexeme::Hyphen | Lexeme::Slash | Lexeme::Break) | None => {
            (number, 1)
        }
    }
}

/// `-14`, `/14`, `to 14`, `and 14`, and the `-C` of `12A-C`.
fn read_joint(first: Number, rest: &[Lexeme]) -> Option<(Joint, Number, usize)> {
    let joint = match rest.first()? {
        Lexeme::Hyphen => Joint::Hyphen,
        Lexeme::Slash => Joint::Slash,
        Lexeme::Word(word) if word == "TO" || word == "AND" => Joint::Hyphen,
        Lexeme::Word(_) | Lexeme::Glued(_) | Lexeme::Break => return None,
    };
    let Some(Lexeme::Word(second)) = rest.get(1) else {
        return None;
    };
    if let Some(number) = read_number(second) {
        return Some((joint, number, 2));
    }
    let letter = read_letter(second).filter(|_| first.letter.is_some())?;
    let number = Number {
        letter: Some(letter),
        ..first
    };
    Some((Joint::Hyphen, number, 2))
}
