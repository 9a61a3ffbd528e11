//! What was typed and stands nowhere in a stored address.

use crate::distance::typing_errors;
use crate::evidence::{County, Evidence};
use crate::parse::{Class, Token};
use crate::place::PlaceFit;
use crate::units::UnitsFit;
use crate::words::{self, Marker, is_compass, is_house, is_widespread, resembles_street_type};

impl Evidence<'_> {
    pub(crate) fn count_unknown(&mut self, at: usize, is_before: bool) {
        let token = &self.query.tokens()[at];
        let is_repeated = self.query.tokens()[..at]
            .iter()
            .any(|earlier| earlier.is_word() && earlier.text() == token.text());
        let is_pair_repeated = self.is_pair_repeated(at);
        let is_other = if is_before {
            self.is_other_before(at)
        } else {
            is_other_behind(token)
        };
        match token.class {
            _ if is_other => self.is_contradicted = true,
            Class::Odd => self.is_contradicted = true,
            Class::Letter if !is_before || self.is_before_unit(at) => self.is_contradicted = true,
            Class::Name if is_compass(token.text()) && !is_before => self.is_contradicted = true,
            Class::Name | Class::Letter if is_repeated => {}
            Class::StreetType if is_pair_repeated => {}
            // Another street was typed as well, or another one altogether.
            Class::StreetType if !is_before => self.is_contradicted = true,
            Class::StreetType => self.has_unknown_kind = true,
            // A mistyped kind of street that is not this one's.
            Class::Name if !is_before && resembles_street_type(&token.written) => {
                self.is_contradicted = true;
            }
            Class::Name | Class::Letter if is_before => {
                self.unknown_before += 1;
            }
            Class::Name | Class::Letter => self.unknown += 1,
            Class::County if self.county == County::Untyped => self.county = County::Unknown,
            Class::County | Class::Filler | Class::Unit(_) => {}
        }
    }

    /// Whether a flat's number that no marker announces follows an unknown word: `knit 3` may be
    /// `unit 3`.
    pub(crate) fn has_unknown_marker(&self, fit: UnitsFit) -> bool {
        let parsed = &self.query.parsed;
        let tokens = &parsed.tokens;
        let is_unknown =
            |at: usize| tokens[at].class == Class::Name && self.pairing.found[at].is_none();
        let flats = (0..parsed.units.len())
            .filter(|unit| fit.needs_building_name || *unit != fit.query_last)
            .filter(|unit| parsed.units[*unit].marker == Marker::Bare);
        flats.filter_map(|unit| parsed.unit_at(unit)).any(|at| {
            let before = at.checked_sub(1);
            before
                .is_some_and(|before| tokens[before].part == tokens[at].part && is_unknown(before))
        })
    }

    /// Whether a word before the number makes it another home.
    fn is_other_before(&self, at: usize) -> bool {
        let tokens = self.query.tokens();
        let text = tokens[at].text();
        let is_beside = RELATIVES.contains(&tokens[at].written.as_str());
        let mut same_part = tokens.iter().filter(|token| token.part == tokens[at].part);
        // `Chichester, 430 Finch Road, Wokingham` names two towns, and no postcode decides.
        let is_town = self.place == PlaceFit::Unnamed
            && is_widespread(&tokens[at].written)
            && same_part.all(|token| token.text() == text);
        let is_part = resembles_part(&tokens[at].written);
        is_beside || is_town || is_part || BLOCKS.contains(&text) || self.parts_numbers(at)
    }

    /// Two numbers that an unknown word joins are no flat and its building: `12 or 14`.
    fn parts_numbers(&self, at: usize) -> bool {
        let tokens = self.query.tokens();
        let unit = |token: &Token| token.unit().map(|unit| (unit, token.part));
        let before = tokens[..at].iter().rev().find_map(unit);
        let behind = tokens[at + 1..].iter().find_map(unit);
        let (Some((before, part)), Some((_, next_part))) = (before, behind) else {
            return false;
        };
        let is_bare = self.query.parsed.units[before].marker == Marker::Bare;
        is_bare && part == tokens[at].part && part == next_part
    }

    /// `a 20 Park Road` may mean a flat.
    fn is_before_unit(&self, at: usize) -> bool {
        let next = self.query.tokens().get(at + 1);
        next.is_some_and(|next| next.unit().is_some())
    }

    /// `St Albans, St Albans` names it twice.
    fn is_pair_repeated(&self, at: usize) -> bool {
        let tokens = self.query.tokens();
        let is_same = |pair: &[Token], start: usize| {
            tokens.get(start..start + 2).is_some_and(|this| {
                this.iter()
                    .zip(pair)
                    .all(|(first, second)| first.text() == second.text())
            })
        };
        let mut earlier = tokens[..at].windows(2);
        earlier.any(|pair| {
            is_same(pair, at)
                || at
                    .checked_sub(1)
                    .is_some_and(|before| is_same(pair, before))
        })
    }
}

/// Whether a word behind the street makes it another home: `1 High Street Apartments`.
fn is_other_behind(token: &Token) -> bool {
    let is_small = words::small(&token.written).is_some_and(words::is_small_alone);
    let is_part = words::part_of_house(&token.written).is_some() || is_small;
    is_part || is_house(token.text()) || OTHER_HOMES.contains(&token.text())
}

/// `BAESMENT 45 …`
fn resembles_part(word: &str) -> bool {
    PARTS
        .iter()
        .any(|part| typing_errors(word, part, 1) == Some(1))
}

const PARTS: [&str; 16] = [
    "ANNEXE",
    "ANNEX",
    "APARTMENT",
    "ATTIC",
    "BASEMENT",
    "BEDSIT",
    "BUNGALOW",
    "CARAVAN",
    "CELLAR",
    "COTTAGE",
    "GARAGE",
    "GROUND",
    "MAISONETTE",
    "PENTHOUSE",
    "STUDIO",
    "UPSTAIRS",
];

/// What stands beside a number is not there.
const RELATIVES: [&str; 14] = [
    "ABOVE",
    "ADJ",
    "ADJACENT",
    "ADJOINING",
    "BEHIND",
    "BELOW",
    "BENEATH",
    "BESIDE",
    "NEXT",
    "OPP",
    "OPPOSITE",
    "OVER",
    "UNDER",
    "OUTSIDE",
];

/// Buildings of flats, whose number is missing.
const BLOCKS: [&str; 9] = [
    "APARTMENTS",
    "ARC",
    "CT",
    "CTS",
    "FLATS",
    "LOFTS",
    "MANS",
    "MWS",
    "TOWERS",
];

/// A building or a yard behind a street, which is another one than the house in the street.
const OTHER_HOMES: [&str; 6] = ["COACH", "FLATS", "LOFTS", "MALTINGS", "TOWERS", "WORKS"];
