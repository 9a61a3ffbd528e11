//! A stored property's address, read for matching.

use crate::number::Unit;
use crate::parse::{Parsed, Token};
use crate::place::{Place, stored_place, take_place};
use crate::text::{Lexeme, lexemes};

/// A stored property's address, in document 1's parts. Unknown lines are empty (S-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Known<'a> {
    /// Address lines 1 to 4.
    pub lines: [&'a str; 4],
    /// The post town.
    pub post_town: &'a str,
    /// The postcode, in any spacing.
    pub postcode: &'a str,
    /// The address in one line. It counts where the lines are unknown; otherwise only words that
    /// stand nowhere in them, such as a county.
    pub display_address: &'a str,
}

/// An address ready to be compared or indexed.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) parsed: Parsed,
    pub(crate) place: Place,
}

/// The words of the address in one line that are not among those that were read, without its
/// postcode. Numbers are left out: what is a building's or flat's number the lines say.
fn words_beyond(read: &[Lexeme], display_address: &str) -> Vec<Lexeme> {
    let mut shown = lexemes(display_address);
    take_place(&mut shown);
    shown.retain(|lexeme| match lexeme {
        Lexeme::Word(word) => word.chars().all(char::is_alphabetic) && !read.contains(lexeme),
        Lexeme::Break => true,
        Lexeme::Glued(_) | Lexeme::Hyphen | Lexeme::Slash => false,
    });
    shown
}

impl Stored {
    pub(crate) fn read(known: &Known<'_>) -> Self {
        let mut all = Vec::new();
        let has_lines = known.lines.iter().any(|line| !line.trim().is_empty());
        let lines: &[&str] = if has_lines {
            &known.lines
        } else {
            &[known.display_address]
        };
        for line in lines {
            all.extend(lexemes(line));
            all.push(Lexeme::Break);
        }
        let written = take_place(&mut all);
        all.push(Lexeme::Break);
        if has_lines {
            all.extend(lexemes(known.post_town));
            all.push(Lexeme::Break);
            let further = words_beyond(&all, known.display_address);
            all.extend(further);
        }
        let place = match stored_place(known.postcode) {
            Place::Unnamed => written,
            place @ (Place::Outward { .. } | Place::Full { .. }) => place,
        };
        Self {
            parsed: Parsed::read(&all),
            place,
        }
    }

    pub(crate) fn units(&self) -> &[Unit] {
        &self.parsed.units
    }

    pub(crate) fn tokens(&self) -> &[Token] {
        &self.parsed.tokens
    }

    /// The words of the name before the first number, or of the whole first part of an address
    /// without one: `ROSE COTTAGE`. Fillers are left out.
    pub(crate) fn name(&self) -> Vec<usize> {
        let first_unit = self.parsed.unit_at(0);
        let end = first_unit.unwrap_or(self.tokens().len());
        let words = (0..end).filter(|at| self.tokens()[*at].is_word());
        if first_unit.is_some() {
            return words.collect();
        }
        let Some(part) = self.tokens().iter().find(|token| token.is_word()) else {
            return Vec::new();
        };
        words
            .filter(|at| self.tokens()[*at].part == part.part)
            .collect()
    }

    /// The words between a unit and the next one: those of its own part of the address, or where
    /// that ends with the unit, those of the next part.
    pub(crate) fn words_behind(&self, unit: usize) -> Vec<usize> {
        let Some(at) = self.parsed.unit_at(unit) else {
            return Vec::new();
        };
        let behind = self.tokens().iter().enumerate().skip(at + 1);
        let run = behind.take_while(|(_, token)| token.unit().is_none());
        let words: Vec<usize> = run
            .filter(|(_, token)| token.is_word())
            .map(|(at, _)| at)
            .collect();
        let Some(part) = words.first().map(|first| self.tokens()[*first].part) else {
            return Vec::new();
        };
        let own = words
            .into_iter()
            .filter(|at| self.tokens()[*at].part == part);
        own.collect()
    }
}
