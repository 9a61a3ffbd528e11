//! The names of houses, before their numbers or in place of them.

use crate::evidence::{Evidence, Subject};
use crate::parse::{Class, Token, needs_label};
use crate::wording::Pairing;
use crate::words::{is_building, is_common_in_names, is_house, is_trade};

impl Evidence<'_> {
    /// Looks for the house's name in its order.
    pub(crate) fn find_name(&mut self) {
        let name = self.stored.name();
        let tokens = self.query.tokens();
        let words: Vec<usize> = (0..tokens.len())
            .filter(|at| tokens[*at].is_word())
            .collect();
        // A number that was left out is not forgiven either.
        if name.is_empty() || !self.stored.units().is_empty() {
            return;
        }
        for start in 0..words.len() {
            let mut attempt = self.pairing.clone();
            if follow_name(&mut attempt, &words[start..], &name) {
                self.pairing = attempt;
                self.addressee = Some(words[start]).filter(|at| is_addressee(&tokens[..*at]));
                self.subject = Subject::Name;
                let last = name.last().and_then(|last| self.stored.tokens().get(*last));
                self.name_part = last.map(|last| last.part);
                break;
            }
        }
    }

    /// Two different names at one number are two properties.
    pub(crate) fn compare_names(&mut self, stored_at: usize) {
        let tokens = self.stored.tokens();
        let name: Vec<usize> = (0..stored_at).filter(|at| tokens[*at].is_word()).collect();
        let says = |at: &usize| !is_trade(tokens[*at].text());
        let is_shared =
            |at: &usize| self.pairing.is_taken(*at) && !is_common_in_names(tokens[*at].text());
        // `PF2, 33 Clerk Street` and `A, 14 High Street` are flats.
        let is_alone = |at: usize| {
            let same_part = tokens.iter().filter(|token| token.part == tokens[at].part);
            same_part.count() == 1
        };
        let is_mark = |at: &usize| matches!(tokens[*at].class, Class::Odd | Class::Letter);
        let is_flat = |at: &usize| is_alone(*at) || needs_label(&tokens[*at].written);
        let is_left_out = |at: &usize| is_mark(at) && !self.pairing.is_taken(*at) && is_flat(at);
        if name.iter().any(is_left_out) {
            self.subject = Subject::Building;
        }
        if self.unknown_before > 0 && name.iter().any(says) && !name.iter().any(is_shared) {
            self.is_contradicted = true;
        }
    }
}

/// Follows the words of a house's name, two of which may be written as one: `SEAVIEW`.
fn follow_name(pairing: &mut Pairing<'_>, typed: &[usize], name: &[usize]) -> bool {
    let mut typed = typed.iter();
    while let Some(next) = name.iter().position(|stored| !pairing.is_taken(*stored)) {
        let Some(word) = typed.next() else {
            return false;
        };
        if pairing.found[*word].is_some() {
            continue;
        }
        let rest = &name[next..];
        if let Some((stored, errors)) = pairing.best(*word, &rest[..1]) {
            pairing.take(*word, stored, errors);
        } else if !pairing.take_joined(*word, rest) && !pairing.take_split(*word, &rest[..1]) {
            return false;
        }
    }
    true
}

/// `Mr J Smith`, `c/o Smith`: who lives there says nothing of the house.
fn is_addressee(tokens: &[Token]) -> bool {
    let says = |at: usize, words: &[&str]| {
        let token = tokens.get(at);
        token.is_some_and(|token| words.contains(&token.written.as_str()))
    };
    let is_care_of = says(0, &["C"]) && says(1, &["O"]);
    let is_name = |token: &Token| match token.class {
        Class::Name => !is_house(token.text()) && !is_building(token.text()),
        Class::Letter | Class::Filler => true,
        Class::StreetType | Class::County | Class::Odd | Class::Unit(_) => false,
    };
    (is_care_of || says(0, &TITLES)) && tokens.len() <= NAME_MAX && tokens.iter().all(is_name)
}

const TITLES: [&str; 7] = ["MR", "MRS", "MS", "MISS", "MX", "DR", "REV"];

/// Words of a person's name, with title and initials.
const NAME_MAX: usize = 7;
