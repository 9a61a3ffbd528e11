//! Parses an address, typed or stored, into words and numbers.

mod glued;
mod marked;
mod part_of_house;

use crate::number::{Label, Number, Unit, Unreadable, read_label, read_letter};
use crate::text::Lexeme;
use crate::words::{self, Marker, Spelling};

use glued::split_glued;

/// A word or number in an address.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    /// The word in capitals without accents; empty for a number.
    pub(crate) written: String,
    /// All spellings of the word, if it is a known one.
    pub(crate) spelling: Option<&'static Spelling>,
    pub(crate) class: Class,
    /// Counts the parts of the address, which commas and lines separate.
    pub(crate) part: usize,
    /// The word was typed without a space behind a number and may begin with the number's letter:
    /// `12BLANE`.
    pub(crate) is_glued: bool,
}

/// The meaning of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// It names something.
    Name,
    /// A street type, like `ROAD`.
    StreetType,
    /// Nothing.
    Filler,
    /// It is part of a county's name.
    County,
    /// It is a single letter.
    Letter,
    /// It has a digit and is no number, or it announces a number that is missing. Only the same
    /// word matches it.
    Verbatim,
    /// The number of a building or flat: its index in `Parsed::units`.
    Unit(usize),
}

impl Token {
    /// The index in `Parsed::units`, if the token is a number.
    pub(crate) fn unit(&self) -> Option<usize> {
        let Class::Unit(unit) = self.class else {
            return None;
        };
        Some(unit)
    }

    /// The word in the spelling that stands for all.
    pub(crate) fn text(&self) -> &str {
        self.spelling
            .map_or(&self.written, |spelling| spelling.short)
    }

    pub(crate) fn is_word(&self) -> bool {
        match self.class {
            Class::Name | Class::StreetType | Class::County | Class::Letter | Class::Verbatim => {
                true
            }
            Class::Filler | Class::Unit(_) => false,
        }
    }
}

/// A parsed address without its postcode.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parsed {
    pub(crate) tokens: Vec<Token>,
    /// In the order of the text.
    pub(crate) units: Vec<Unit>,
    /// A part that looks like a number was not understood.
    pub(crate) is_unclear: bool,
    /// The text repeats a number, and `units` has it once. Registers repeat numbers by habit; a
    /// person who types `2, 2 High Street` may mean a flat.
    pub(crate) is_doubled: bool,
}

impl Parsed {
    /// Parses lexemes without a postcode.
    pub(crate) fn read(lexemes: &[Lexeme]) -> Self {
        let lexemes = split_glued(lexemes);
        let mut reader = Reader::default();
        let mut at = 0;
        while let Some(lexeme) = lexemes.get(at) {
            at += reader.push(lexeme, &lexemes[at..]);
        }
        let mut parsed = reader.parsed;
        parsed.mark_counties();
        parsed.read_first_number();
        parsed
    }

    /// The index of a unit's token.
    pub(crate) fn unit_at(&self, unit: usize) -> Option<usize> {
        let mut tokens = self.tokens.iter();
        tokens.position(|token| token.unit() == Some(unit))
    }

    /// Whether a word says that the number is another one: `NEAR 12 …`.
    pub(crate) fn is_near_number(&self) -> bool {
        let is_near = |token: &Token| ["NEAR", "NR", "OFF", "BY"].contains(&token.written.as_str());
        let mut pairs = self.tokens.windows(2);
        pairs.any(|pair| is_near(&pair[0]) && pair[1].unit().is_some())
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

    /// Reads the `TEN` of `TEN DOWNING STREET` as a number when there is no other number.
    fn read_first_number(&mut self) {
        let is_filler = |token: &Token| token.class == Class::Filler;
        let Some(at) = self.tokens.iter().position(|token| !is_filler(token)) else {
            return;
        };
        let goes_on = self.tokens.get(at + 1).is_some_and(|next| {
            next.part == self.tokens[at].part && next.class != Class::StreetType
        });
        let value = words::number_word(&self.tokens[at].written);
        if let Some(value) = value.filter(|_| goes_on && self.units.is_empty()) {
            self.tokens[at].class = Class::Unit(0);
            self.units.push(Unit {
                marker: Marker::Bare,
                label: Label::One(Number {
                    value,
                    letter: None,
                }),
            });
        }
    }
}

/// Collects the tokens of an address. `part` counts the parts that have ended.
#[derive(Default)]
struct Reader {
    parsed: Parsed,
    part: usize,
}

impl Reader {
    /// Adds the token that begins with this lexeme, which is the first of `rest`. Returns how many
    /// lexemes it takes.
    fn push(&mut self, lexeme: &Lexeme, rest: &[Lexeme]) -> usize {
        match lexeme {
            Lexeme::Word(word) => {
                let taken = self.push_marked(rest).or_else(|| {
                    let (label, taken) = read_label(rest)?;
                    self.push_label(Marker::Bare, label);
                    Some(taken)
                });
                return taken.unwrap_or_else(|| {
                    self.push_word(word, false);
                    1
                });
            }
            Lexeme::Glued(word) => self.push_word(word, true),
            Lexeme::Break => self.part += 1,
            Lexeme::Hyphen | Lexeme::Slash => {}
        }
        1
    }

    fn push_label(&mut self, marker: Marker, label: Result<Label, Unreadable>) {
        match label {
            Ok(label) => self.push_unit(marker, label),
            Err(Unreadable) => self.parsed.is_unclear = true,
        }
    }

    fn push_unit(&mut self, marker: Marker, label: Label) {
        let units = &mut self.parsed.units;
        let last = self.parsed.tokens.last();
        let is_behind_unit = last.is_some_and(|last| last.unit().is_some());
        let unit = Unit { marker, label };
        // `Dentist @ 68, 68 High Street` repeats its number.
        if is_behind_unit && marker == Marker::Bare && units.last() == Some(&unit) {
            self.parsed.is_doubled = true;
            return;
        }
        self.parsed.tokens.push(Token {
            written: String::new(),
            spelling: None,
            class: Class::Unit(units.len()),
            part: self.part,
            is_glued: false,
        });
        units.push(unit);
    }

    fn push_word(&mut self, word: &str, is_glued: bool) {
        let spelling = words::spelling(word);
        let class = if spelling.is_some_and(|spelling| spelling.is_street_type) {
            Class::StreetType
        } else if words::is_filler(word) {
            Class::Filler
        } else if words::is_county(word) {
            Class::County
        } else if word.contains(char::is_numeric) && spelling.is_none() || needs_label(word) {
            Class::Verbatim
        } else if read_letter(word).is_some() {
            Class::Letter
        } else {
            Class::Name
        };
        self.parsed.tokens.push(Token {
            written: word.to_owned(),
            spelling,
            class,
            part: self.part,
            is_glued,
        });
    }
}

/// Whether a word needs a number or letter behind it.
pub(crate) fn needs_label(word: &str) -> bool {
    NEEDS_LABEL.contains(&word)
}

#[rustfmt::skip]
const NEEDS_LABEL: &[&str] = &[
    "FLAT", "FLT", "APARTMENT", "APT", "UNIT", "PLOT", "ROOM", "FLOOR", "FLOORS", "FLR",
    "ACCOMMODATION",
];

/// The first words of `N YORKS`, `WEST SUSSEX` and `CO DURHAM`.
const COUNTY_PARTS: [&str; 10] = [
    "NTH", "STH", "EAST", "WEST", "MID", "CO", "N", "S", "E", "W",
];
