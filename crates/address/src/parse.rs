//! Reads an address, typed or stored, into words and numbers.

mod glued;
mod part_of_house;

use crate::distance::typing_errors;
use crate::number::{Label, Number, Unit, read_label, read_letter, read_number};
use crate::text::Lexeme;
use crate::words::{self, Marker, Spelling};

use glued::split_glued;
use part_of_house::{
    Small, is_rear, names_own_label, read_small, read_storey, says_where, stands_alone,
};

/// A word or number at its place in the address.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    /// As written, folded.
    pub(crate) written: String,
    /// The known word it is.
    pub(crate) spelling: Option<&'static Spelling>,
    pub(crate) class: Class,
    /// The part of the address, between commas or lines.
    pub(crate) part: usize,
    /// It was typed without the space behind a number, whose letter may be in it: `12BLANE`.
    pub(crate) is_glued: bool,
}

/// What a token can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Names something.
    Name,
    /// A kind of street, like `ROAD`.
    StreetType,
    /// Says nothing.
    Filler,
    /// Part of a county's name.
    County,
    /// One letter.
    Letter,
    /// Contains a digit and is no number, or announces one that is not there: must be found
    /// exactly as it is.
    Odd,
    /// A building's or flat's number: its place in `Parsed::units`.
    Unit(usize),
}

impl Token {
    /// Its place in `Parsed::units`, if it is a number.
    pub(crate) fn unit(&self) -> Option<usize> {
        let Class::Unit(unit) = self.class else {
            return None;
        };
        Some(unit)
    }

    /// In the one spelling.
    pub(crate) fn text(&self) -> &str {
        self.spelling
            .map_or(&self.written, |spelling| spelling.short)
    }

    pub(crate) fn is_word(&self) -> bool {
        match self.class {
            Class::Name | Class::StreetType | Class::County | Class::Letter | Class::Odd => true,
            Class::Filler | Class::Unit(_) => false,
        }
    }
}

/// An address in its pieces.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parsed {
    pub(crate) tokens: Vec<Token>,
    /// In the order of the text.
    pub(crate) units: Vec<Unit>,
    /// Something looks like a number and was not understood.
    pub(crate) is_unclear: bool,
    /// A number stood there twice and was read once. In a stored address that is a habit of
    /// registers; what somebody typed may mean a flat, `2, 2 High Street`.
    pub(crate) is_doubled: bool,
}

impl Parsed {
    /// The place of a unit among the tokens.
    pub(crate) fn unit_at(&self, unit: usize) -> Option<usize> {
        self.tokens
            .iter()
            .position(|token| token.unit() == Some(unit))
    }

    /// `NEAR 12 …` is not number 12.
    pub(crate) fn is_beside_number(&self) -> bool {
        let is_near = |token: &Token| ["NEAR", "NR", "OFF", "BY"].contains(&token.written.as_str());
        let mut pairs = self.tokens.windows(2);
        pairs.any(|pair| is_near(&pair[0]) && pair[1].unit().is_some())
    }

    /// Reads lexemes that hold no postcode any more.
    pub(crate) fn read(lexemes: &[Lexeme]) -> Self {
        let lexemes = split_glued(lexemes);
        let mut parsed = Self::default();
        let mut part = 0;
        let mut at = 0;
        while let Some(lexeme) = lexemes.get(at) {
            if let Lexeme::Glued(word) = lexeme {
                parsed.push_word(word, part);
                if let Some(token) = parsed.tokens.last_mut() {
                    token.is_glued = true;
                }
                at += 1;
                continue;
            }
            let Lexeme::Word(word) = lexeme else {
                part += usize::from(*lexeme == Lexeme::Break);
                at += 1;
                continue;
            };
            let rest = &lexemes[at..];
            at += parsed
                .push_marked(word, rest, part)
                .or_else(|| parsed.push_number(rest, part))
                .unwrap_or_else(|| {
                    parsed.push_word(word, part);
                    1
                });
        }
        parsed.mark_counties();
        parsed.read_first_number();
        parsed
    }

    /// `TEN DOWNING STREET`, where no other number is.
    fn read_first_number(&mut self) {
        let is_filler = |token: &Token| token.class == Class::Filler;
        let Some(at) = self.tokens.iter().position(|token| !is_filler(token)) else {
            return;
        };
        let value = words::number_word(&self.tokens[at].written);
        let goes_on = self.tokens.get(at + 1).is_some_and(|next| {
            next.part == self.tokens[at].part && next.class != Class::StreetType
        });
        let (Some(value), true, true) = (value, goes_on, self.units.is_empty()) else {
            return;
        };
        self.tokens[at].class = Class::Unit(0);
        self.units.push(Unit {
            marker: Marker::Bare,
            label: Label::One(Number {
                value,
                letter: None,
            }),
        });
    }

    /// The `WEST` of `WEST YORKSHIRE` is no point of the compass.
    fn mark_counties(&mut self) {
        for at in 1..self.tokens.len() {
            let before = self.tokens[at - 1].text();
            let is_part = COUNTY_PARTS.contains(&before);
            if self.tokens[at].class == Class::County && is_part {
                self.tokens[at - 1].class = Class::County;
            } else if before == "GT" && self.tokens[at].text() == "BRITAIN" {
                self.tokens[at - 1].class = Class::Filler;
            }
        }
    }

    /// `FLAT 3`, `GROUND FLOOR FLAT`, `ANNEXE`: returns how many lexemes it takes.
    fn push_marked(&mut self, word: &str, rest: &[Lexeme], part: usize) -> Option<usize> {
        if word == "R" && is_rear(rest) {
            self.push_unit(Marker::Floor, Label::Code("REAR".to_owned()), part);
            return Some(3);
        }
        if let Some((code, used)) = read_storey(rest, self.begins(part)) {
            self.push_unit(Marker::Floor, Label::Code(code), part);
            return Some(used);
        }
        if let Some((small, used)) = read_small(rest).filter(|_| self.begins(part)) {
            match small {
                Small::Numbered(code, label) => self.push_label(Marker::Named(code), label, part),
                Small::Alone(code) => {
                    self.push_unit(Marker::Floor, Label::Code(code.to_owned()), part);
                }
            }
            return Some(used);
        }
        if let Some(label) = read_flat_code(word, rest).filter(|_| self.begins(part)) {
            self.push_unit(Marker::Dwelling, label, part);
            return Some(1);
        }
        if words::is_block(word)
            && !self.follows_name(part)
            && let Some((label, used)) = read_marked_label(rest)
        {
            self.push_label(Marker::Block, label, part);
            return Some(used);
        }
        if let Some(marker) = words::marker(word).or_else(|| mistyped_marker(word, rest)) {
            if word == "STUDIO" && next_is_marker(rest) {
                // `STUDIO FLAT 3, 12 …` is flat 3, `STUDIO FLAT, 12 …` the studio.
                let is_studio = !names_own_label(&rest[2..]);
                if is_studio {
                    self.push_unit(Marker::Floor, Label::Code(word.to_owned()), part);
                }
                return Some(1 + usize::from(is_studio));
            }
            if let Some((label, used)) = read_marked_label(rest) {
                self.push_label(marker, label, part);
                return Some(used);
            }
            // `Flat, 74 High Street` and `The Flat` name the only flat there.
            if ["FLAT", "APARTMENT", "STUDIO"].contains(&word) && !self.follows_name(part) {
                let code = if word == "STUDIO" { word } else { "FLAT" };
                self.push_unit(Marker::Floor, Label::Code(code.to_owned()), part);
                return Some(1);
            }
            return None;
        }
        let code = words::part_of_house(word)?;
        if code == "LAND" && !says_where(rest)
            || words::may_be_name(code) && (self.follows_name(part) || !stands_alone(rest))
        {
            return None;
        }
        self.push_unit(Marker::Floor, Label::Code(code.to_owned()), part);
        let is_its_flat = code != "FLAT" && next_is_marker(rest) && !names_own_label(&rest[2..]);
        Some(1 + usize::from(is_its_flat))
    }

    /// Whether a name stands right before, in the same part: `VICTORIA GARAGE`.
    fn follows_name(&self, part: usize) -> bool {
        self.tokens.last().is_some_and(|last| {
            last.part == part && matches!(last.class, Class::Name | Class::StreetType)
        })
    }

    /// Whether nothing but fillers stands before, in the same part: `THE LODGE`.
    fn begins(&self, part: usize) -> bool {
        let mut before = self
            .tokens
            .iter()
            .rev()
            .take_while(|token| token.part == part);
        before.all(|token| token.class == Class::Filler)
    }

    fn push_number(&mut self, rest: &[Lexeme], part: usize) -> Option<usize> {
        let (label, used) = read_label(rest)?;
        self.push_label(Marker::Bare, label, part);
        Some(used)
    }

    fn push_label(&mut self, marker: Marker, label: Result<Label, ()>, part: usize) {
        match label {
            Ok(label) => self.push_unit(marker, label, part),
            Err(()) => self.is_unclear = true,
        }
    }

    fn push_unit(&mut self, marker: Marker, label: Label, part: usize) {
        let last = self.tokens.last();
        let is_behind_unit = last.is_some_and(|last| last.unit().is_some());
        let unit = Unit { marker, label };
        // `Dentist @ 68, 68 High Street` says its number twice.
        if is_behind_unit && marker == Marker::Bare && self.units.last() == Some(&unit) {
            self.is_doubled = true;
            return;
        }
        self.tokens.push(Token {
            written: String::new(),
            spelling: None,
            class: Class::Unit(self.units.len()),
            part,
            is_glued: false,
        });
        self.units.push(unit);
    }

    fn push_word(&mut self, word: &str, part: usize) {
        let spelling = words::spelling(word);
        let class = if spelling.is_some_and(|spelling| spelling.is_street_type) {
            Class::StreetType
        } else if words::is_filler(word) {
            Class::Filler
        } else if words::is_county(word) {
            Class::County
        } else if word.contains(char::is_numeric) && spelling.is_none() || needs_label(word) {
            Class::Odd
        } else if read_letter(word).is_some() {
            Class::Letter
        } else {
            Class::Name
        };
        self.tokens.push(Token {
            written: word.to_owned(),
            spelling,
            class,
            part,
            is_glued: false,
        });
    }
}

/// `N YORKS`, `WEST SUSSEX`, `CO DURHAM`.
const COUNTY_PARTS: [&str; 10] = [
    "NTH", "STH", "EAST", "WEST", "MID", "CO", "N", "S", "E", "W",
];

/// The `F2`, `B1`, `2F1` or `A` before a building's number. Without a number behind it, it is a
/// word like others.
fn read_flat_code(word: &str, rest: &[Lexeme]) -> Option<Label> {
    let next = rest[1..].iter().find(|lexeme| **lexeme != Lexeme::Break);
    let is_before_number = matches!(next, Some(Lexeme::Word(next)) if read_number(next).is_some());
    if !is_before_number || word.len() > CODE_MAX || !word.is_ascii() {
        return None;
    }
    if let Some(number) = word.strip_prefix('F').and_then(read_number) {
        return Some(Label::One(number));
    }
    if let Some(letter) = read_letter(word) {
        return Some(Label::Letter(letter));
    }
    let is_code = word.contains(|c: char| c.is_ascii_digit())
        && word.contains(|c: char| c.is_ascii_uppercase())
        && read_number(word).is_none()
        && words::spelling(word).is_none();
    is_code.then(|| Label::Code(word.to_owned()))
}

const CODE_MAX: usize = 4;

/// `FALT 2`, `APPARTMENT 2`.
fn mistyped_marker(word: &str, rest: &[Lexeme]) -> Option<Marker> {
    let is_swapped = ["FALT", "FLTA", "LFAT"].contains(&word);
    let is_flat = is_swapped || typing_errors(word, "APARTMENT", 1).is_some();
    let is_numbered =
        matches!(rest.get(1), Some(Lexeme::Word(next)) if read_number(next).is_some());
    (is_flat && is_numbered).then_some(Marker::Dwelling)
}

fn next_is_marker(rest: &[Lexeme]) -> bool {
    matches!(rest.get(1), Some(Lexeme::Word(next)) if words::marker(next) == Some(Marker::Dwelling))
}

/// Words that a flat's number has to follow.
pub(crate) fn needs_label(word: &str) -> bool {
    [
        "FLAT",
        "FLT",
        "APARTMENT",
        "APT",
        "UNIT",
        "PLOT",
        "ROOM",
        "FLOOR",
        "FLOORS",
        "FLR",
        "ACCOMMODATION",
    ]
    .contains(&word)
}

/// What follows a marker: a number, a letter or a code like `B12`.
fn read_marked_label(rest: &[Lexeme]) -> Option<(Result<Label, ()>, usize)> {
    let mut skipped = 1;
    while matches!(rest.get(skipped), Some(Lexeme::Word(word)) if word == "NO" || word == "NUMBER")
        || rest.get(skipped) == Some(&Lexeme::Hyphen)
    {
        skipped += 1;
    }
    let after = rest.get(skipped..)?;
    if let Some((label, used)) = read_label(after) {
        return Some((label, used + skipped));
    }
    let Some(Lexeme::Word(word)) = after.first() else {
        return None;
    };
    if let Some(letter) = read_letter(word) {
        return Some((Ok(Label::Letter(letter)), skipped + 1));
    }
    if let Some(value) = words::number_word(word) {
        let number = Number {
            value,
            letter: None,
        };
        return Some((Ok(Label::One(number)), skipped + 1));
    }
    if ["II", "III", "IV", "VI", "VII", "VIII", "IX"].contains(&word.as_str()) {
        return Some((Err(()), skipped + 1));
    }
    let is_code = word.len() <= CODE_MAX
        && word.is_ascii()
        && word.contains(|c: char| c.is_ascii_digit())
        && words::spelling(word).is_none();
    is_code.then(|| (Ok(Label::Code(word.clone())), skipped + 1))
}
