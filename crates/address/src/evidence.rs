//! What speaks for a stored address and against it.

use crate::known::Stored;
use crate::parse::{Class, Parsed, Token};
use crate::place::PlaceFit;
use crate::query::Query;
use crate::street::{Street, StreetFit};
use crate::units::{NumbersFit, UnitsFit, fit_units};
use crate::wording::Pairing;
use crate::words::{Marker, is_building, is_compass};

/// What speaks for a stored address and against it.
pub(crate) struct Evidence<'a> {
    pub(crate) query: &'a Query,
    pub(crate) stored: &'a Stored,
    pub(crate) place: PlaceFit,
    pub(crate) pairing: Pairing<'a>,
    pub(crate) subject: Subject,
    pub(crate) street: StreetFit,
    /// Which stored words are the street's.
    pub(crate) is_street: Vec<bool>,
    /// The part of the stored address that names a building, where that stands for its number.
    pub(crate) name_part: Option<usize>,
    /// The word right behind the number where the street was found before it: `Cheapside 14 Poultry`.
    pub(crate) other_street: Option<usize>,
    /// Where the house's name begins behind a person's.
    pub(crate) addressee: Option<usize>,
    /// Words found behind the street or the name, other than a county's.
    pub(crate) places_found: usize,
    pub(crate) county: County,
    /// Words behind the number that are nowhere in the stored address.
    pub(crate) unknown: usize,
    /// The same before the number.
    pub(crate) unknown_before: usize,
    /// A kind of street was typed before the number that is not there: perhaps of a house's name.
    pub(crate) has_unknown_kind: bool,
    /// The stored address has a number more: the house's, where the query has the flat's.
    pub(crate) lacks_number: bool,
    pub(crate) is_contradicted: bool,
}

/// What of the query is the same in the stored address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Neither its numbers nor a name.
    Nothing,
    /// All its numbers.
    Numbers,
    /// All its numbers: they are the building's that the stored flat is in.
    Building,
    /// The house's name, in its order, where there are no numbers.
    Name,
}

/// What was typed of a county.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum County {
    Untyped,
    /// One that the stored address has not.
    Unknown,
    Found,
}

impl<'a> Evidence<'a> {
    /// Compares a query with a stored address.
    pub(crate) fn collect(query: &'a Query, stored: &'a Stored) -> Self {
        let mut evidence = Self::new(query, stored);
        if query.parsed.units.is_empty() {
            evidence.find_name();
            let name = stored.name();
            evidence.find_rest(0, name.last().map_or(0, |last| last + 1), &PASSES);
        } else if let Some(fit) = fit_units(&query.parsed.units, stored) {
            let (subject, fit) = match fit {
                NumbersFit::Own(fit) => (Subject::Numbers, fit),
                NumbersFit::Building(fit) => (Subject::Building, fit),
            };
            evidence.subject = subject;
            evidence.find_numbered(fit);
        } else {
            // No match: it is only ranked in a list.
            evidence.find_rest(0, 0, &[Pass::Exact]);
        }
        evidence
    }

    fn new(query: &'a Query, stored: &'a Stored) -> Self {
        let place = query.place.fit(&stored.place);
        Self {
            query,
            stored,
            place,
            pairing: Pairing::new(query.tokens(), stored.tokens()),
            subject: Subject::Nothing,
            street: StreetFit::Missing,
            is_street: vec![false; stored.tokens().len()],
            name_part: None,
            other_street: None,
            addressee: None,
            places_found: 0,
            county: County::Untyped,
            unknown: 0,
            unknown_before: 0,
            has_unknown_kind: false,
            lacks_number: false,
            is_contradicted: query.parsed.is_unclear || place == PlaceFit::Other,
        }
    }

    fn find_numbered(&mut self, fit: UnitsFit) {
        let street = Street::behind(self.stored, fit.stored_last);
        let place_of = |parsed: &Parsed, unit| parsed.unit_at(unit).unwrap_or_default();
        let typed_at = place_of(&self.query.parsed, fit.query_last);
        let stored_at = place_of(&self.stored.parsed, fit.stored_last);
        // `Albion Court, 7 London Road` without its flat is not the flat 7 of Albion Court.
        self.street = self.find_street(&street, typed_at, !fit.needs_building_name);
        // `High Street` is not `High Street Mews`.
        let is_kind = |at: &usize| self.stored.tokens()[*at].class == Class::StreetType;
        let is_cottages = street
            .kind
            .is_some_and(|at| self.stored.tokens()[at].text() == "CTS");
        let needs_kind = street.names.last().is_some_and(is_kind) || is_cottages;
        if self.street == StreetFit::WithoutKind && needs_kind {
            self.street = StreetFit::OtherKind;
        }
        self.lacks_number = fit.stored_missing > 0;
        self.is_contradicted |= self.lacks_number && self.street != StreetFit::Whole;
        self.is_contradicted |= fit.needs_building_name && !self.ends_with_building(&street);
        for at in street.words() {
            self.is_street[at] = true;
        }
        let unit = self.stored.units().get(fit.stored_last);
        if unit.is_some_and(|unit| unit.marker != Marker::Bare) {
            let part_of = |at: usize| self.stored.tokens()[at].part;
            self.name_part = street.words().last().map(part_of);
        }
        let behind = street.words().max().map_or(stored_at, |last| last + 1);
        self.find_rest(typed_at, behind, &PASSES);
        let is_unknown = |at: usize| self.pairing.found[at].is_none();
        self.is_contradicted |= self.other_street.is_some_and(is_unknown);
        self.compare_names(stored_at);
        self.is_contradicted |= self.has_unknown_marker(fit);
    }

    fn ends_with_building(&self, street: &Street) -> bool {
        // `3 Albert` is no flat of Albert Court.
        let last = street.words().last();
        self.street == StreetFit::Whole
            && last.is_some_and(|at| is_building(self.stored.tokens()[at].text()))
    }

    /// Looks for the street right behind the number, else right before it.
    fn find_street(&mut self, street: &Street, typed_at: usize, may_be_before: bool) -> StreetFit {
        if street.names.is_empty() {
            return StreetFit::Missing;
        }
        let tokens = self.query.tokens();
        // `Block 2, Flat 3, Mill Wharf`
        let behind = (typed_at + 1..tokens.len()).skip_while(|at| tokens[*at].unit().is_some());
        let behind = behind.take_while(|at| tokens[*at].unit().is_none());
        let before = (0..typed_at).rev();
        let before = before.take_while(|at| tokens[*at].unit().is_none());
        let behind: Vec<usize> = behind.filter(|at| tokens[*at].is_word()).collect();
        let before: Vec<usize> = before.filter(|at| tokens[*at].is_word()).collect();
        let before = if may_be_before { before } else { Vec::new() };
        for run in [&behind, &before] {
            let mut attempt = self.pairing.clone();
            let fit = street.follow(&mut attempt, tokens, run);
            if fit == StreetFit::Missing {
                continue;
            }
            self.pairing = attempt;
            self.other_street = behind.first().copied().filter(|_| run == &before);
            let is_kind = |at: &usize| self.stored.tokens()[*at].class == Class::StreetType;
            // `30 The Green` is not in Green Crescent.
            let needs_kind = street.kind.is_some() && street.names.iter().all(is_kind);
            return if needs_kind && fit != StreetFit::Whole {
                StreetFit::Missing
            } else {
                fit
            };
        }
        StreetFit::Missing
    }

    /// Looks for all other words anywhere. `first` is the query's first number, `behind` where the
    /// stored locality begins.
    fn find_rest(&mut self, first: usize, behind: usize, passes: &[Pass]) {
        let tokens = self.query.tokens();
        let all: Vec<usize> = (0..self.stored.tokens().len())
            .filter(|at| self.stored.tokens()[*at].is_word())
            .collect();
        let open: Vec<usize> = (0..tokens.len())
            .filter(|at| tokens[*at].is_word() && self.pairing.found[*at].is_none())
            .filter(|at| self.addressee.is_none_or(|name| *at >= name))
            .collect();
        for pass in passes {
            for at in &open {
                if self.pairing.found[*at].is_none() {
                    self.find_word(*at, &all, behind, *pass);
                }
            }
        }
        for at in open {
            match self.pairing.found[at] {
                Some(stored) => {
                    let is_behind = stored >= behind;
                    let is_name = tokens[at].class == Class::Name && !is_compass(tokens[at].text());
                    self.places_found += usize::from(is_behind && is_name);
                    if is_behind && tokens[at].class == Class::County {
                        self.county = County::Found;
                    }
                }
                None => self.count_unknown(at, at < first),
            }
        }
    }

    fn find_word(&mut self, at: usize, all: &[usize], locality: usize, pass: Pass) {
        let is_kind = self.query.tokens()[at].class == Class::StreetType;
        let fitting = |stored: &usize| {
            let is_kind = is_kind || self.stored.tokens()[*stored].class == Class::StreetType;
            // A kind of street counts only next to its name: `ROAD` is in many an address.
            (pass == Pass::Kinds) == is_kind && (!is_kind || self.has_neighbour(at, *stored))
        };
        let all: Vec<usize> = all.iter().copied().filter(fitting).collect();
        let localities = all.partition_point(|stored| *stored < locality);
        let near = self.pairing.best(at, &all[localities..]);
        let best = match (near, self.pairing.best(at, &all)) {
            // A town that the house's name repeats is the town.
            (Some(near), Some(far)) if near.1 <= far.1 => Some(near),
            (_, far) => far,
        };
        match (best, pass) {
            (Some((stored, errors)), Pass::Mistyped | Pass::Kinds) => {
                self.pairing.take(at, stored, errors);
            }
            (Some((stored, errors)), Pass::Exact) if errors.count == 0 => {
                self.pairing.take(at, stored, errors);
            }
            (None, Pass::Mistyped) if !is_kind => {
                let _ = self.pairing.take_joined(at, &all) || self.pairing.take_split(at, &all);
            }
            _ => {}
        }
    }

    /// Whether the words or numbers beside both are the same.
    fn has_neighbour(&self, at: usize, stored: usize) -> bool {
        let (typed, kept) = (self.query.tokens(), self.stored.tokens());
        let found = |at: usize| self.pairing.found.get(at).copied().flatten();
        // `THE GREEN` is not Green Way.
        let kind = kept
            .get(stored + 1)
            .filter(|next| next.part == kept[stored].part && next.class == Class::StreetType);
        let is_same = |kind: &Token| {
            typed
                .get(at + 1)
                .is_some_and(|next| next.text() == kind.text())
        };
        if !kind.is_none_or(is_same) {
            return false;
        }
        let before = before_filler(typed, at);
        let stored_before = before_filler(kept, stored);
        if let (Some(before), Some(stored_before)) = (before, stored_before) {
            let label = |token: &Token, parsed: &'a Parsed| {
                token.unit().map(|unit| &parsed.units[unit].label)
            };
            let number = label(&typed[before], &self.query.parsed);
            let is_number = number.is_some();
            if is_number && number == label(&kept[stored_before], &self.stored.parsed)
                || found(before) == Some(stored_before)
            {
                return true;
            }
        }
        // `VICTORIA ROAD LEEDS` is not the other road in Leeds.
        let is_unknown =
            |before: usize| typed[before].class == Class::Name && found(before).is_none();
        // `THE CRESCENT, MORLEY` is not Hazel Crescent in Morley.
        let is_other_name = |before: usize| {
            kept[before].class == Class::Name
                && kept[before].part == kept[stored].part
                && !self.pairing.is_taken(before)
        };
        !before.is_some_and(is_unknown)
            && !stored_before.is_some_and(is_other_name)
            && found(at + 1).is_some_and(|behind| behind == stored + 1)
    }
}

/// The token before this one and the fillers before it.
fn before_filler(tokens: &[Token], at: usize) -> Option<usize> {
    (0..at)
        .rev()
        .find(|before| tokens[*before].class != Class::Filler)
}

/// In which order the words besides the street are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    Exact,
    Mistyped,
    Kinds,
}

const PASSES: [Pass; 3] = [Pass::Exact, Pass::Mistyped, Pass::Kinds];
