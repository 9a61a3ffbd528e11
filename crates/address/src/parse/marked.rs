//! Reads flats, rooms, blocks and parts of a house, which a word announces.

use super::{Class, Reader};
use crate::distance::typing_errors;
use crate::number::{Label, Number, Unreadable, is_number, read_label, read_letter, read_number};
use crate::text::{Lexeme, word_at};
use crate::words::{self, Marker};

use super::part_of_house::{
    NamedUnit, has_own_label, is_land_somewhere, read_named_unit, read_storey, stands_alone,
};

/// The longest code of a flat.
const CODE_MAX: usize = 4;

impl Reader {
    /// Reads `FLAT 3`, `GROUND FLOOR FLAT` or `ANNEXE`. Returns how many lexemes it takes.
    pub(super) fn push_marked(&mut self, rest: &[Lexeme]) -> Option<usize> {
        self.push_storey(rest)
            .or_else(|| self.push_named_unit(rest))
            .or_else(|| self.push_flat_code(rest))
            .or_else(|| self.push_block(rest))
            .or_else(|| self.push_marker(rest))
            .or_else(|| self.push_part_of_house(rest))
    }

    fn push_storey(&mut self, rest: &[Lexeme]) -> Option<usize> {
        // `R/O 12 HIGH STREET` is at the rear of number 12.
        let is_rear = rest.get(1) == Some(&Lexeme::Slash) && word_at(rest, 2) == "O";
        let (code, used) = if is_rear && word_at(rest, 0) == "R" {
            ("REAR".to_owned(), 3)
        } else {
            read_storey(rest, self.begins_part())?
        };
        self.push_unit(Marker::Floor, Label::Code(code));
        Some(used)
    }

    fn push_named_unit(&mut self, rest: &[Lexeme]) -> Option<usize> {
        let (named_unit, used) = read_named_unit(rest).filter(|_| self.begins_part())?;
        match named_unit {
            NamedUnit::Numbered(code, label) => self.push_label(Marker::Named(code), label),
            NamedUnit::Alone(code) => self.push_code(code),
        }
        Some(used)
    }

    fn push_flat_code(&mut self, rest: &[Lexeme]) -> Option<usize> {
        let label = read_flat_code(rest).filter(|_| self.begins_part())?;
        self.push_unit(Marker::Dwelling, label);
        Some(1)
    }

    fn push_block(&mut self, rest: &[Lexeme]) -> Option<usize> {
        if !words::is_block(word_at(rest, 0)) || self.follows_name() {
            return None;
        }
        let (label, used) = read_marked_label(rest)?;
        self.push_label(Marker::Block, label);
        Some(used)
    }

    fn push_marker(&mut self, rest: &[Lexeme]) -> Option<usize> {
        let word = word_at(rest, 0);
        let marker = words::marker(word).or_else(|| mistyped_marker(rest))?;
        if word == "STUDIO" && is_before_marker(rest) {
            // `STUDIO FLAT 3, 12 …` is flat 3; `STUDIO FLAT, 12 …` is the studio.
            let is_studio = !has_own_label(&rest[2..]);
            if is_studio {
                self.push_code(word);
            }
            return Some(1 + usize::from(is_studio));
        }
        if let Some((label, used)) = read_marked_label(rest) {
            self.push_label(marker, label);
            return Some(used);
        }
        // `Flat, 74 High Street` and `The Flat` name the only flat there.
        let is_only_flat = ["FLAT", "APARTMENT", "STUDIO"].contains(&word);
        if !is_only_flat || self.follows_name() {
            return None;
        }
        self.push_code(if word == "STUDIO" { word } else { "FLAT" });
        Some(1)
    }

    fn push_part_of_house(&mut self, rest: &[Lexeme]) -> Option<usize> {
        let code = words::part_of_house(word_at(rest, 0))?;
        let is_name = words::is_part_or_name(code) && (self.follows_name() || !stands_alone(rest));
        if is_name || code == "LAND" && !is_land_somewhere(rest) {
            return None;
        }
        self.push_code(code);
        let has_flat = is_before_marker(rest) && !has_own_label(&rest[2..]);
        Some(1 + usize::from(has_flat))
    }

    fn push_code(&mut self, code: &str) {
        self.push_unit(Marker::Floor, Label::Code(code.to_owned()));
    }

    /// Whether a name precedes in the same part of the address: `VICTORIA GARAGE`.
    fn follows_name(&self) -> bool {
        self.parsed.tokens.last().is_some_and(|last| {
            last.part == self.part && matches!(last.class, Class::Name | Class::StreetType)
        })
    }

    /// Whether only fillers precede in the same part of the address: `THE LODGE`.
    fn begins_part(&self) -> bool {
        let before = self.parsed.tokens.iter().rev();
        let mut before = before.take_while(|token| token.part == self.part);
        before.all(|token| token.class == Class::Filler)
    }
}

/// Reads the `F2`, `B1`, `2F1` or `A` before a building's number. Without a number behind it, it is
/// an ordinary word.
fn read_flat_code(rest: &[Lexeme]) -> Option<Label> {
    let word = word_at(rest, 0);
    let next = (1..rest.len()).find(|at| rest[*at] != Lexeme::Break)?;
    if !is_number(word_at(rest, next)) || word.len() > CODE_MAX || !word.is_ascii() {
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
        && !is_number(word)
        && words::spelling(word).is_none();
    is_code.then(|| Label::Code(word.to_owned()))
}

/// Reads `FALT 2` and `APPARTMENT 2`.
fn mistyped_marker(rest: &[Lexeme]) -> Option<Marker> {
    let word = word_at(rest, 0);
    let is_swapped = ["FALT", "FLTA", "LFAT"].contains(&word);
    let is_flat = is_swapped || typing_errors(word, "APARTMENT", 1).is_some();
    (is_flat && is_number(word_at(rest, 1))).then_some(Marker::Dwelling)
}

fn is_before_marker(rest: &[Lexeme]) -> bool {
    words::marker(word_at(rest, 1)) == Some(Marker::Dwelling)
}

/// Reads the number, letter or code like `B12` behind a marker.
fn read_marked_label(rest: &[Lexeme]) -> Option<(Result<Label, Unreadable>, usize)> {
    let mut skipped = 1;
    while ["NO", "NUMBER"].contains(&word_at(rest, skipped))
        || rest.get(skipped) == Some(&Lexeme::Hyphen)
    {
        skipped += 1;
    }
    if let Some((label, used)) = read_label(rest.get(skipped..)?) {
        return Some((label, used + skipped));
    }
    let word = word_at(rest, skipped);
    let label = if let Some(letter) = read_letter(word) {
        Ok(Label::Letter(letter))
    } else if let Some(value) = words::number_word(word) {
        let letter = None;
        Ok(Label::One(Number { value, letter }))
    } else if ["II", "III", "IV", "VI", "VII", "VIII", "IX"].contains(&word) {
        Err(Unreadable)
    } else if is_short_code(word) {
        Ok(Label::Code(word.to_owned()))
    } else {
        return None;
    };
    Some((label, skipped + 1))
}

fn is_short_code(word: &str) -> bool {
    let has_digit = word.contains(|c: char| c.is_ascii_digit());
    has_digit && word.len() <= CODE_MAX && word.is_ascii() && words::spelling(word).is_none()
}
