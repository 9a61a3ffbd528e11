//! The street of a stored address, and how a query names it.

use crate::known::StoredAddress;
use crate::pairing::Pairing;
use crate::parse::{Class, Token};
use crate::typo::{Risk, Typos};
use crate::words::{is_compass, is_house};

/// The words of a street, or of a building with flats, behind a stored number. Words are indices of
/// stored tokens.
#[derive(Debug)]
pub(crate) struct Street {
    /// The words that the query has to name.
    pub(crate) names: Vec<usize>,
    /// The street type (`ROAD`), which the query may leave out.
    pub(crate) street_type: Option<usize>,
}

/// How a query names a stored street.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreetFit {
    /// The query does not have the name.
    Missing,
    /// The name with another street type: `LANE` for `ROAD`.
    OtherType,
    /// The name without the street type.
    WithoutType,
    /// The name and the street type.
    Whole,
}

impl Street {
    /// The street behind a stored unit.
    pub(crate) fn behind(stored: &StoredAddress, unit: usize) -> Self {
        Self::of_words(stored, stored.words_behind(unit))
    }

    /// The street that these words of one part of the address name.
    pub(crate) fn of_words(stored: &StoredAddress, mut names: Vec<usize>) -> Self {
        let tokens = stored.tokens();
        let is_type = |at: &usize| tokens[*at].class == Class::StreetType;
        let is_named_house = |at: &usize| is_house(tokens[*at].text());
        let Some(type_at) = names.iter().rposition(is_type).filter(|at| *at > 0) else {
            return Self::of_names(names);
        };
        // `Mill Lane House` is a house.
        if names.get(type_at + 1).is_some_and(is_named_house) {
            names.truncate(type_at + 2);
            return Self::of_names(names);
        }
        // The words behind a street type are a locality, except a point of the compass.
        let behind = names.get(type_at + 1).copied();
        names.truncate(type_at + 1);
        let street_type = names.pop();
        names.extend(behind.filter(|at| is_compass(tokens[*at].text())));
        Self { names, street_type }
    }

    fn of_names(names: Vec<usize>) -> Self {
        Self {
            names,
            street_type: None,
        }
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = usize> {
        self.names.iter().copied().chain(self.street_type)
    }

    /// Pairs the street's words with a run of the query's words that begins at the number.
    pub(crate) fn follow(
        &self,
        pairing: &mut Pairing<'_>,
        tokens: &[Token],
        run: &[usize],
    ) -> StreetFit {
        let mut has_other_type = false;
        let mut rest = run.iter().copied();
        while self.names.iter().any(|name| !pairing.is_taken(*name)) {
            let Some(typed) = rest.next() else {
                return StreetFit::Missing;
            };
            if pairing.found[typed].is_some() || self.pair_word(pairing, typed) {
                continue;
            }
            if tokens[typed].class != Class::StreetType || has_other_type {
                return StreetFit::Missing;
            }
            has_other_type = true;
        }
        has_other_type |= self.follow_type(pairing, tokens, rest);
        match self.street_type {
            _ if has_other_type => StreetFit::OtherType,
            Some(at) if !pairing.is_taken(at) => StreetFit::WithoutType,
            Some(_) | None => StreetFit::Whole,
        }
    }

    /// Pairs one typed word with a word of the street, also when a space is missing or added.
    /// Returns whether there is one.
    fn pair_word(&self, pairing: &mut Pairing<'_>, typed: usize) -> bool {
        let name = pairing.best(typed, &self.names);
        let street_type = self.street_type.as_slice();
        if let Some((stored, typos)) = name.or_else(|| pairing.best(typed, street_type)) {
            pairing.take(typed, stored, typos);
            return true;
        }
        let words: Vec<usize> = self.words().collect();
        pairing.take_joined(typed, &words) || pairing.take_split(typed, &self.names)
    }

    /// Looks for the street type behind the name. Returns whether another one is there.
    fn follow_type(
        &self,
        pairing: &mut Pairing<'_>,
        tokens: &[Token],
        mut run: impl Iterator<Item = usize>,
    ) -> bool {
        let street_type = self.street_type.filter(|at| !pairing.is_taken(*at));
        let next = run.find(|typed| pairing.found[*typed].is_none());
        let (Some(street_type), Some(typed)) = (street_type, next) else {
            return false;
        };
        if pairing.take_split(typed, &[street_type]) {
            return false;
        }
        if let Some((_, typos)) = pairing.best(typed, &[street_type]) {
            // A mistyped street type is no other name.
            let risk = Risk::None;
            pairing.take(typed, street_type, Typos { risk, ..typos });
            return false;
        }
        let is_other = tokens[typed].class == Class::StreetType;
        if is_other {
            pairing.found[typed] = Some(street_type);
        }
        is_other
    }
}
