//! A stored property's address, as given, as found and as parsed.

use crate::number::Unit;
use crate::parse::{Parsed, Token};
use crate::postcode::{Postcode, full_postcode, take_postcode};
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
    /// The address in one line. It replaces unknown lines. Otherwise it only adds words that the
    /// lines lack, such as a county.
    pub display_address: &'a str,
}

/// A stored property that a probe found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Candidate<Id> {
    /// The property's id.
    pub id: Id,
    /// Address lines 1 to 4.
    pub lines: [String; 4],
    /// The post town.
    pub post_town: String,
    /// The postcode.
    pub postcode: String,
    /// The address in one line.
    pub display_address: String,
    /// Whether the address is confirmed.
    pub is_verified: bool,
}

impl<Id> Candidate<Id> {
    /// The property's address.
    pub fn known(&self) -> Known<'_> {
        Known {
            lines: self.lines.each_ref().map(String::as_str),
            post_town: &self.post_town,
            postcode: &self.postcode,
            display_address: &self.display_address,
        }
    }
}

/// A stored address, parsed for comparison and for the index.
#[derive(Debug, Clone)]
pub(crate) struct StoredAddress {
    pub(crate) parsed: Parsed,
    pub(crate) postcode: Postcode,
}

impl StoredAddress {
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
        let postcode_in_lines = take_postcode(&mut all);
        all.push(Lexeme::Break);
        if has_lines {
            all.extend(lexemes(known.post_town));
            all.push(Lexeme::Break);
            let further = further_words(&all, known.display_address);
            all.extend(further);
        }
        let postcode = match full_postcode(known.postcode) {
            Postcode::Absent => postcode_in_lines,
            postcode @ (Postcode::District { .. } | Postcode::Full { .. }) => postcode,
        };
        Self {
            parsed: Parsed::read(&all),
            postcode,
        }
    }

    pub(crate) fn units(&self) -> &[Unit] {
        &self.parsed.units
    }

    pub(crate) fn tokens(&self) -> &[Token] {
        &self.parsed.tokens
    }

    /// The indices of the name's words: all words before the first number, or the words of the
    /// first part of an address without a number (`ROSE COTTAGE`).
    pub(crate) fn name(&self) -> Vec<usize> {
        let words = |end| (0..end).filter(|at| self.tokens()[*at].is_word());
        match self.parsed.unit_at(0) {
            Some(first) => words(first).collect(),
            None => self.in_part_of_first(words(self.tokens().len())),
        }
    }

    /// The indices of the words between a unit and the next one, in the first part of the address
    /// that has any.
    pub(crate) fn words_behind(&self, unit: usize) -> Vec<usize> {
        let Some(at) = self.parsed.unit_at(unit) else {
            return Vec::new();
        };
        let behind = (at + 1..self.tokens().len())
            .take_while(|at| self.tokens()[*at].unit().is_none())
            .filter(|at| self.tokens()[*at].is_word());
        self.in_part_of_first(behind)
    }

    /// Keeps the words that are in the same part of the address as the first one.
    pub(crate) fn in_part_of_first(&self, words: impl Iterator<Item = usize>) -> Vec<usize> {
        let part = |at: &usize| self.tokens()[*at].part;
        let mut words = words.peekable();
        let first = words.peek().map(part);
        words.filter(|at| Some(part(at)) == first).collect()
    }
}

/// The words of the address in one line that were not read yet, without its postcode. Numbers are
/// left out, because the lines give all numbers of the building or flat.
fn further_words(read: &[Lexeme], display_address: &str) -> Vec<Lexeme> {
    let mut shown = lexemes(display_address);
    take_postcode(&mut shown);
    shown.retain(|lexeme| match lexeme {
        Lexeme::Word(word) => word.chars().all(char::is_alphabetic) && !read.contains(lexeme),
        Lexeme::Break => true,
        Lexeme::Glued(_) | Lexeme::Hyphen | Lexeme::Slash => false,
    });
    shown
}
