//! Compares the names of houses, before their numbers or instead of them.

use crate::evidence::{Evidence, MatchedBy};
use crate::pairing::Pairing;
use crate::parse::{Class, Token, needs_label};
use crate::words::{is_building, is_common_in_names, is_house, is_trade};

const TITLES: [&str; 7] = ["MR", "MRS", "MS", "MISS", "MX", "DR", "REV"];

/// The most words of a person's name, with title and initials.
const PERSON_WORDS_MAX: usize = 7;

impl Evidence<'_> {
    /// Looks for the words of the house's name in their order. A house with a number is no match,
    /// because the query leaves the number out.
    pub(crate) fn find_name(&mut self) {
        let name = self.stored.name();
        if name.is_empty() || !self.stored.units().is_empty() {
            return;
        }
        let tokens = self.query.tokens();
        let words: Vec<usize> = (0..tokens.len())
            .filter(|at| tokens[*at].is_word())
            .collect();
        for start in 0..words.len() {
            let mut attempt = self.pairing.clone();
            if follow_name(&mut attempt, &words[start..], &name) {
                self.pairing = attempt;
                self.addressee = Some(words[start]).filter(|at| is_addressee(&tokens[..*at]));
                self.matched_by = MatchedBy::Name;
                self.name_part = name.last().map(|last| self.stored.tokens()[*last].part);
                break;
            }
        }
    }

    /// Compares the names before the number: two names at one number are two properties.
    pub(crate) fn compare_names(&mut self, stored_at: usize) {
        let tokens = self.stored.tokens();
        let name: Vec<usize> = (0..stored_at).filter(|at| tokens[*at].is_word()).collect();
        let is_name = |at: &usize| !is_trade(tokens[*at].text());
        let is_shared =
            |at: &usize| self.pairing.is_taken(*at) && !is_common_in_names(tokens[*at].text());
        // `PF2, 33 Clerk Street` and `A, 14 High Street` are flats.
        let is_alone = |at: usize| {
            let same_part = tokens.iter().filter(|token| token.part == tokens[at].part);
            same_part.count() == 1
        };
        let is_flat_left_out = |at: &usize| {
            matches!(tokens[*at].class, Class::Verbatim | Class::Letter)
                && !self.pairing.is_taken(*at)
                && (is_alone(*at) || needs_label(&tokens[*at].written))
        };
        if name.iter().any(is_flat_left_out) {
            self.matched_by = MatchedBy::BuildingNumbers;
        }
        let is_other = name.iter().any(is_name) && !name.iter().any(is_shared);
        self.is_contradicted |= self.unknown_before > 0 && is_other;
    }
}

/// Pairs the words of a house's name in their order. Two may be typed as one: `SEAVIEW`.
pub(crate) fn follow_name(pairing: &mut Pairing<'_>, typed: &[usize], name: &[usize]) -> bool {
    let mut typed = typed.iter();
    while let Some(next) = name.iter().position(|stored| !pairing.is_taken(*stored)) {
        let Some(word) = typed.next() else {
            return false;
        };
        if pairing.found[*word].is_some() {
            continue;
        }
        let rest = &name[next..];
        if let Some((stored, typos)) = pairing.best(*word, &rest[..1]) {
            pairing.take(*word, stored, typos);
        } else if !pairing.take_joined(*word, rest) && !pairing.take_split(*word, &rest[..1]) {
            return false;
        }
    }
    true
}

/// Whether the words are a person, who does not identify a house: `Mr J Smith`, `c/o Smith`.
fn is_addressee(tokens: &[Token]) -> bool {
    let is_one_of = |at: usize, words: &[&str]| {
        let token = tokens.get(at);
        token.is_some_and(|token| words.contains(&token.written.as_str()))
    };
    let is_care_of = is_one_of(0, &["C"]) && is_one_of(1, &["O"]);
    let is_person = |token: &Token| match token.class {
        Class::Name => !is_house(token.text()) && !is_building(token.text()),
        Class::Letter | Class::Filler => true,
        Class::StreetType | Class::County | Class::Verbatim | Class::Unit(_) => false,
    };
    (is_care_of || is_one_of(0, &TITLES))
        && tokens.len() <= PERSON_WORDS_MAX
        && tokens.iter().all(is_person)
}
