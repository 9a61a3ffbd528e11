//! Collects the evidence for a stored address and against it.

use crate::known::StoredAddress;
use crate::pairing::Pairing;
use crate::parse::{Class, Token};
use crate::postcode::PostcodeFit;
use crate::query::Query;
use crate::street::{Street, StreetFit};
use crate::typo::Typos;
use crate::units::{NumbersFit, UnitsFit, fit_units};
use crate::words::{Marker, is_building, is_compass};

/// The evidence for a stored address and against it. Words are indices of tokens.
pub(crate) struct Evidence<'a> {
    pub(crate) query: &'a Query,
    pub(crate) stored: &'a StoredAddress,
    pub(crate) postcode: PostcodeFit,
    pub(crate) pairing: Pairing<'a>,
    pub(crate) matched_by: MatchedBy,
    pub(crate) street_fit: StreetFit,
    /// The stored words of the street.
    pub(crate) street: Vec<usize>,
    /// The part of the stored address that names a building and so replaces a number.
    pub(crate) name_part: Option<usize>,
    /// The typed word behind the number when the street is before it: the `Poultry` of
    /// `Cheapside 14 Poultry`.
    other_street: Option<usize>,
    /// The first typed word of the house's name behind a person's name.
    pub(crate) addressee: Option<usize>,
    /// Words behind the street or the house's name that were found, without counties.
    pub(crate) localities_found: usize,
    pub(crate) county: County,
    /// Typed words behind the number that the stored address does not have.
    pub(crate) unknown_behind: usize,
    /// Typed words before the number that the stored address does not have.
    pub(crate) unknown_before: usize,
    /// The stored address does not have a street type that was typed before the number. It may
    /// belong to a house's name.
    pub(crate) has_unknown_type: bool,
    /// How the numbers fit, if the query has any.
    pub(crate) units: Option<UnitsFit>,
    pub(crate) is_contradicted: bool,
}

/// The feature that the query and the stored address share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatchedBy {
    /// Neither numbers nor a name.
    Nothing,
    /// All numbers of the query.
    Numbers,
    /// All numbers of the query, as the numbers of the building that the stored flat is in.
    BuildingNumbers,
    /// The house's name, when the query has no numbers.
    Name,
}

/// Whether a county was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum County {
    Untyped,
    /// The stored address does not have it.
    Unknown,
    Found,
}

/// The steps of looking for words outside the street.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    Exact,
    Mistyped,
    StreetTypes,
}

const PASSES: [Pass; 3] = [Pass::Exact, Pass::Mistyped, Pass::StreetTypes];

impl<'a> Evidence<'a> {
    /// Compares a query with a stored address.
    pub(crate) fn collect(query: &'a Query, stored: &'a StoredAddress) -> Self {
        let mut evidence = Self::new(query, stored);
        if query.parsed.units.is_empty() {
            evidence.find_name();
            let name = stored.name();
            evidence.find_rest(0, name.last().map_or(0, |last| last + 1), &PASSES);
        } else if let Some(fit) = fit_units(&query.parsed.units, stored) {
            let (matched_by, fit) = match fit {
                NumbersFit::Own(fit) => (MatchedBy::Numbers, fit),
                NumbersFit::Building(fit) => (MatchedBy::BuildingNumbers, fit),
            };
            evidence.matched_by = matched_by;
            evidence.find_numbered(fit);
        } else {
            // The address is no match and only takes a place in the ranking.
            evidence.find_rest(0, 0, &[Pass::Exact]);
        }
        evidence
    }

    fn new(query: &'a Query, stored: &'a StoredAddress) -> Self {
        let postcode = query.postcode.fit(&stored.postcode);
        Self {
            query,
            stored,
            postcode,
            pairing: Pairing::new(query.tokens(), stored.tokens()),
            matched_by: MatchedBy::Nothing,
            street_fit: StreetFit::Missing,
            street: Vec::new(),
            name_part: None,
            other_street: None,
            addressee: None,
            localities_found: 0,
            county: County::Untyped,
            unknown_behind: 0,
            unknown_before: 0,
            has_unknown_type: false,
            units: None,
            is_contradicted: query.parsed.is_unclear || postcode == PostcodeFit::Other,
        }
    }

    fn find_numbered(&mut self, fit: UnitsFit) {
        let street = Street::behind(self.stored, fit.stored_last);
        let typed_at = self
            .query
            .parsed
            .unit_at(fit.query_last)
            .unwrap_or_default();
        let stored_at = self
            .stored
            .parsed
            .unit_at(fit.stored_last)
            .unwrap_or_default();
        // `Albion Court, 7 London Road` without its flat is not flat 7 of Albion Court.
        self.street_fit = self.find_street(&street, typed_at, !fit.needs_building_name);
        if self.street_fit == StreetFit::WithoutType && self.needs_type(&street) {
            self.street_fit = StreetFit::OtherType;
        }
        self.units = Some(fit);
        self.is_contradicted |= self.lacks_number() && self.street_fit != StreetFit::Whole;
        self.is_contradicted |= fit.needs_building_name && !self.ends_with_building(&street);
        self.street = street.words().collect();
        let unit = self.stored.units().get(fit.stored_last);
        if unit.is_some_and(|unit| unit.marker != Marker::Bare) {
            let last = self.street.last();
            self.name_part = last.map(|at| self.stored.tokens()[*at].part);
        }
        let behind = self.street.iter().max().map_or(stored_at, |last| last + 1);
        self.find_rest(typed_at, behind, &PASSES);
        let is_unknown = |at: usize| self.pairing.found[at].is_none();
        self.is_contradicted |= self.other_street.is_some_and(is_unknown);
        self.compare_names(stored_at);
        self.is_contradicted |= self.has_unknown_marker(fit);
    }

    /// Whether the street has another meaning without its type: `High Street` is not
    /// `High Street Mews`, and `Church Lane` is not `Church Lane Cottages`.
    fn needs_type(&self, street: &Street) -> bool {
        let tokens = self.stored.tokens();
        street
            .names
            .last()
            .is_some_and(|at| self.is_stored_type(*at))
            || street
                .street_type
                .is_some_and(|at| tokens[at].text() == "CTS")
    }

    /// `3 Albert` is no flat of Albert Court.
    fn ends_with_building(&self, street: &Street) -> bool {
        let last = street.words().last();
        self.street_fit == StreetFit::Whole
            && last.is_some_and(|at| is_building(self.stored.tokens()[at].text()))
    }

    /// Whether the query has the flat's number and leaves out the building's.
    pub(crate) fn lacks_number(&self) -> bool {
        self.units.is_some_and(|fit| fit.stored_missing > 0)
    }

    /// Whether a range fits one of its numbers.
    pub(crate) fn has_range(&self) -> bool {
        self.units.is_some_and(|fit| fit.has_range)
    }

    pub(crate) fn is_stored_type(&self, at: usize) -> bool {
        self.stored.tokens()[at].class == Class::StreetType
    }

    /// Looks for the street behind the number, else before it.
    fn find_street(&mut self, street: &Street, typed_at: usize, may_be_before: bool) -> StreetFit {
        if street.names.is_empty() {
            return StreetFit::Missing;
        }
        let tokens = self.query.tokens();
        let is_unit = |at: &usize| tokens[*at].unit().is_some();
        // `Block 2, Flat 3, Mill Wharf`
        let behind = (typed_at + 1..tokens.len()).skip_while(is_unit);
        let behind = self.words_until_unit(behind);
        let before = (0..typed_at).rev().filter(|_| may_be_before);
        let before = self.words_until_unit(before);
        for (run, other_street) in [(&behind, None), (&before, behind.first())] {
            let mut attempt = self.pairing.clone();
            let fit = street.follow(&mut attempt, tokens, run);
            if fit == StreetFit::Missing {
                continue;
            }
            self.pairing = attempt;
            self.other_street = other_street.copied();
            // `30 The Green` is not in Green Crescent.
            let mut names = street.names.iter();
            let needs_type =
                street.street_type.is_some() && names.all(|at| self.is_stored_type(*at));
            return if needs_type && fit != StreetFit::Whole {
                StreetFit::Missing
            } else {
                fit
            };
        }
        StreetFit::Missing
    }

    /// The typed words of a run that come before its first number.
    fn words_until_unit(&self, run: impl Iterator<Item = usize>) -> Vec<usize> {
        let tokens = self.query.tokens();
        let run = run.take_while(|at| tokens[*at].unit().is_none());
        run.filter(|at| tokens[*at].is_word()).collect()
    }

    /// Looks for all other words. `number` is the query's number, and `locality` is where the
    /// stored locality begins.
    fn find_rest(&mut self, number: usize, locality: usize, passes: &[Pass]) {
        let tokens = self.query.tokens();
        let open: Vec<usize> = (0..tokens.len())
            .filter(|at| tokens[*at].is_word() && self.pairing.found[*at].is_none())
            .filter(|at| self.addressee.is_none_or(|name| *at >= name))
            .collect();
        for pass in passes {
            for at in &open {
                if self.pairing.found[*at].is_none() {
                    self.find_word(*at, locality, *pass);
                }
            }
        }
        for at in open {
            let Some(stored) = self.pairing.found[at] else {
                self.count_unknown(at, at < number);
                continue;
            };
            let Token { class, .. } = &tokens[at];
            if stored >= locality && *class == Class::County {
                self.county = County::Found;
            }
            let is_name = *class == Class::Name && !is_compass(tokens[at].text());
            self.localities_found += usize::from(stored >= locality && is_name);
        }
    }

    fn find_word(&mut self, at: usize, locality: usize, pass: Pass) {
        let is_type = self.query.tokens()[at].class == Class::StreetType;
        let fits = |stored: &usize| {
            let is_type = is_type || self.is_stored_type(*stored);
            // A street type counts only next to its name, because many addresses have a `ROAD`.
            self.stored.tokens()[*stored].is_word()
                && (pass == Pass::StreetTypes) == is_type
                && (!is_type || self.has_neighbour(at, *stored))
        };
        let all: Vec<usize> = (0..self.stored.tokens().len()).filter(fits).collect();
        let localities = all.partition_point(|stored| *stored < locality);
        if pass == Pass::Exact {
            // Looking for typing errors takes much longer.
            let (far, near) = all.split_at(localities);
            let exact = self.pairing.exact(at, near);
            if let Some(stored) = exact.or_else(|| self.pairing.exact(at, far)) {
                self.pairing.take(at, stored, Typos::default());
            }
            return;
        }
        let near = self.pairing.best(at, &all[localities..]);
        let best = match (near, self.pairing.best(at, &all)) {
            // A town that the house's name repeats is the town.
            (Some(near), Some(far)) if near.1 <= far.1 => Some(near),
            (_, far) => far,
        };
        match best {
            Some((stored, typos)) => self.pairing.take(at, stored, typos),
            None if pass == Pass::Mistyped && !is_type => {
                let _ = self.pairing.take_joined(at, &all) || self.pairing.take_split(at, &all);
            }
            None => {}
        }
    }

    /// Whether a typed and a stored street type have the same word or number beside them.
    fn has_neighbour(&self, at: usize, stored: usize) -> bool {
        let (typed, kept) = (self.query.tokens(), self.stored.tokens());
        // `THE GREEN` is not Green Way.
        let next = kept.get(stored + 1);
        let next_type =
            next.filter(|next| next.part == kept[stored].part && next.class == Class::StreetType);
        if next_type.is_some() && next_type.map(Token::text) != typed.get(at + 1).map(Token::text) {
            return false;
        }
        let before = before_fillers(typed, at);
        let stored_before = before_fillers(kept, stored);
        if let (Some(before), Some(stored_before)) = (before, stored_before)
            && self.is_same(before, stored_before)
        {
            return true;
        }
        // `VICTORIA ROAD LEEDS` is not the other road in Leeds.
        let is_unknown =
            |before: usize| typed[before].class == Class::Name && self.found(before).is_none();
        // `THE CRESCENT, MORLEY` is not Hazel Crescent in Morley.
        let is_other_name = |before: usize| {
            let is_name = kept[before].class == Class::Name && !self.pairing.is_taken(before);
            is_name && kept[before].part == kept[stored].part
        };
        !before.is_some_and(is_unknown)
            && !stored_before.is_some_and(is_other_name)
            && self.found(at + 1) == Some(stored + 1)
    }

    fn found(&self, at: usize) -> Option<usize> {
        self.pairing.found.get(at).copied().flatten()
    }

    /// Whether a typed and a stored token are the same number or a pair of words.
    fn is_same(&self, at: usize, stored: usize) -> bool {
        let unit = self.query.tokens()[at].unit();
        let stored_unit = self.stored.tokens()[stored].unit();
        let is_number = unit.zip(stored_unit).is_some_and(|(unit, stored_unit)| {
            self.query.parsed.units[unit].label == self.stored.units()[stored_unit].label
        });
        is_number || self.found(at) == Some(stored)
    }
}

/// The token before this one and the fillers before it.
fn before_fillers(tokens: &[Token], at: usize) -> Option<usize> {
    tokens[..at]
        .iter()
        .rposition(|token| token.class != Class::Filler)
}
