//! Judges typed words that the stored address does not have.

use crate::distance::typing_errors;
use crate::evidence::{County, Evidence};
use crate::parse::{Class, Token};
use crate::postcode::PostcodeFit;
use crate::units::UnitsFit;
use crate::words::{
    self, Marker, is_building, is_compass, is_house, is_widespread, resembles_street_type,
};

impl Evidence<'_> {
    /// Counts an unknown word, or notes that it contradicts the stored address.
    pub(crate) fn count_unknown(&mut self, at: usize, is_before: bool) {
        if self.contradicts(at, is_before) {
            self.is_contradicted = true;
            return;
        }
        match self.query.tokens()[at].class {
            Class::Name | Class::Letter if self.is_repeated(at) => {}
            Class::Name | Class::Letter if is_before => self.unknown_before += 1,
            Class::Name | Class::Letter => self.unknown_behind += 1,
            Class::StreetType => self.has_unknown_type |= !self.is_pair_repeated(at),
            Class::County if self.county == County::Untyped => self.county = County::Unknown,
            Class::County | Class::Filler | Class::Verbatim | Class::Unit(_) => {}
        }
    }

    fn contradicts(&self, at: usize, is_before: bool) -> bool {
        let token = &self.query.tokens()[at];
        if is_before && self.is_other_before(at) || !is_before && is_other_behind(token) {
            return true;
        }
        match token.class {
            Class::Verbatim => true,
            Class::Letter => !is_before || self.is_before_unit(at),
            // The word may be a mistyped street type of another street.
            Class::Name if !is_before => {
                let is_type = || !self.is_repeated(at) && resembles_street_type(&token.written);
                // `Mill Lane Health Rectory` is no flat of Mill Lane Health Centre.
                let is_other_building = self.name_part.is_some() && is_building(token.text());
                is_compass(token.text()) || is_other_building || is_type()
            }
            // The street type belongs to another street.
            Class::StreetType => !is_before && !self.is_pair_repeated(at),
            Class::Name | Class::County | Class::Filler | Class::Unit(_) => false,
        }
    }

    /// Whether an unknown word precedes a flat's number without a marker: `knit 3` may be `unit 3`.
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

    /// Whether a word before the number makes the home another one.
    fn is_other_before(&self, at: usize) -> bool {
        let tokens = self.query.tokens();
        let Token { written, part, .. } = &tokens[at];
        let text = tokens[at].text();
        let mut same_part = tokens.iter().filter(|token| token.part == *part);
        // `Chichester, 430 Finch Road, Wokingham` names two towns, and no postcode decides.
        let is_town = self.postcode == PostcodeFit::Absent
            && is_widespread(written)
            && same_part.all(|token| token.text() == text);
        is_town
            || POSITIONS.contains(&written.as_str())
            || is_block_of_flats(&tokens[at])
            || resembles_part(written)
            || self.separates_numbers(at)
    }

    /// Whether a word makes two numbers different homes: `12 or 14` is no flat and its building.
    fn separates_numbers(&self, at: usize) -> bool {
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

    /// The letter of `a 20 Park Road` may be a flat.
    fn is_before_unit(&self, at: usize) -> bool {
        let next = self.query.tokens().get(at + 1);
        next.is_some_and(|next| next.unit().is_some())
    }

    fn is_repeated(&self, at: usize) -> bool {
        let tokens = self.query.tokens();
        let mut earlier = tokens[..at].iter();
        earlier.any(|earlier| earlier.is_word() && earlier.text() == tokens[at].text())
    }

    /// Whether the word and one beside it are repeated: `St Albans, St Albans`.
    fn is_pair_repeated(&self, at: usize) -> bool {
        let tokens = self.query.tokens();
        let is_same = |pair: &[Token], start: usize| {
            let this = tokens.get(start..start + 2).unwrap_or_default();
            this.iter()
                .map(Token::text)
                .eq(pair.iter().map(Token::text))
        };
        let mut earlier = tokens[..at].windows(2);
        earlier.any(|pair| is_same(pair, at) || at > 0 && is_same(pair, at - 1))
    }
}

/// Whether a word behind the street makes the home another one: `1 High Street Apartments`.
fn is_other_behind(token: &Token) -> bool {
    is_beside_house(token) || is_house(token.text())
}

/// Whether a word names a part of a house, or a small building beside it.
pub(crate) fn is_beside_house(token: &Token) -> bool {
    words::named_unit(&token.written).is_some_and(words::stands_without_number)
        || words::part_of_house(&token.written).is_some()
        || OTHER_HOMES.contains(&token.text())
}

/// Whether a word says that the building has flats.
pub(crate) fn is_block_of_flats(token: &Token) -> bool {
    BLOCKS.contains(&token.text())
}

/// Whether a word is a mistyped part of a house: `BAESMENT 45 …`.
fn resembles_part(word: &str) -> bool {
    let mut parts = PARTS.iter();
    parts.any(|part| typing_errors(word, part, 1) == Some(1))
}

#[rustfmt::skip]
const PARTS: [&str; 16] = [
    "ANNEXE", "ANNEX", "APARTMENT", "ATTIC", "BASEMENT", "BEDSIT", "BUNGALOW", "CARAVAN", "CELLAR",
    "COTTAGE", "GARAGE", "GROUND", "MAISONETTE", "PENTHOUSE", "STUDIO", "UPSTAIRS",
];

/// Words that make a number the number of a neighbour.
#[rustfmt::skip]
const POSITIONS: [&str; 14] = [
    "ABOVE", "ADJ", "ADJACENT", "ADJOINING", "BEHIND", "BELOW", "BENEATH", "BESIDE", "NEXT", "OPP",
    "OPPOSITE", "OVER", "UNDER", "OUTSIDE",
];

/// Buildings with flats. Their own numbers are missing.
#[rustfmt::skip]
const BLOCKS: [&str; 9] = [
    "APARTMENTS", "ARC", "CT", "CTS", "FLATS", "LOFTS", "MANS", "MWS", "TOWERS",
];

/// Buildings or yards behind a street. They are not the house in the street.
const OTHER_HOMES: [&str; 6] = ["COACH", "FLATS", "LOFTS", "MALTINGS", "TOWERS", "WORKS"];
