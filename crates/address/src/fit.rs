//! How well one stored address fits a query (S-7). What contradicts it is never outweighed.

use crate::known::Stored;
use crate::parse::{Class, Token};
use crate::place::PlaceFit;
use crate::query::Query;
use crate::street::Street;
use crate::units::{UnitsFit, fit_units};
use crate::wording::{Errors, Pairing, Risk};
use crate::words::{
    is_building, is_common_in_names, is_compass, is_everywhere, is_house, is_trade,
};

/// How well a property fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fit {
    /// 0.0 to 1.0.
    pub(crate) confidence: f64,
    pub(crate) place: PlaceFit,
}

/// Compares a query with a stored address.
pub(crate) fn assess(query: &Query, stored: &Stored) -> Fit {
    let place = query.place.fit(&stored.place);
    let mut evidence = Evidence::new(query, stored, place);
    let is_accepted = evidence.collect() && evidence.is_enough();
    Fit {
        confidence: evidence.confidence(is_accepted),
        place,
    }
}

/// What speaks for a stored address and against it.
struct Evidence<'a> {
    query: &'a Query,
    stored: &'a Stored,
    place: PlaceFit,
    pairing: Pairing<'a>,
    has_number: bool,
    has_street: bool,
    /// The stored address has a number more: the house's, where the query has the flat's.
    lacks_number: bool,
    /// The street is of another kind: `LANE` for `ROAD`.
    has_other_kind: bool,
    /// The house's name was typed, in its order.
    has_name: bool,
    /// Words found behind the street or the name, other than a county's.
    places_found: usize,
    /// A county's name was found there.
    has_county: bool,
    /// A county's name was typed that is not there.
    has_unknown_county: bool,
    /// Words behind the number that are nowhere in the stored address.
    unknown: usize,
    /// The same before the number.
    unknown_before: usize,
    /// A kind of street was typed before the number that is not there: perhaps of a house's name.
    has_unknown_kind: bool,
    /// The kind of street was typed, or it has none.
    has_kind: bool,
    is_contradicted: bool,
    /// Which stored words are the street's.
    is_street: Vec<bool>,
}

impl<'a> Evidence<'a> {
    fn new(query: &'a Query, stored: &'a Stored, place: PlaceFit) -> Self {
        Self {
            query,
            stored,
            place,
            pairing: Pairing::new(query.tokens(), stored.tokens()),
            has_number: false,
            has_street: false,
            lacks_number: false,
            has_other_kind: false,
            has_name: false,
            places_found: 0,
            has_county: false,
            has_unknown_county: false,
            unknown: 0,
            unknown_before: 0,
            has_unknown_kind: false,
            has_kind: false,
            is_contradicted: false,
            is_street: vec![false; stored.tokens().len()],
        }
    }

    /// Returns whether the numbers, or the name where none was typed, are the same.
    fn collect(&mut self) -> bool {
        self.is_contradicted = self.query.parsed.is_unclear || self.place == PlaceFit::Other;
        if self.query.parsed.units.is_empty() {
            self.find_name();
            self.find_rest(0, self.stored.name().last().map_or(0, |last| last + 1));
            self.has_name
        } else {
            let Some(fit) = fit_units(&self.query.parsed.units, self.stored.units()) else {
                self.find_rest(0, 0);
                return false;
            };
            self.has_number = true;
            self.find_numbered(fit);
            true
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
        // `Albion Court, 7 London Road` without its flat is not the flat 7 of Albion Court.
        self.has_street = self.find_street(&street, typed_at, !fit.needs_building_name);
        self.lacks_number = fit.stored_missing > 0;
        self.is_contradicted |= self.lacks_number && !self.has_street;
        self.is_contradicted |= fit.needs_building_name && !self.ends_with_building(&street);
        for at in street.words() {
            self.is_street[at] = true;
        }
        let behind = street.words().max().map_or(stored_at, |last| last + 1);
        self.find_rest(typed_at, behind);
        self.compare_names(stored_at);
    }

    fn ends_with_building(&self, street: &Street) -> bool {
        let last = street
            .words()
            .last()
            .map(|at| self.stored.tokens()[at].text());
        self.has_street && !self.has_other_kind && last.is_some_and(is_building)
    }

    /// Looks for the street right behind the number, else right before it.
    fn find_street(&mut self, street: &Street, typed_at: usize, may_be_before: bool) -> bool {
        if street.names.is_empty() {
            return false;
        }
        let tokens = self.query.tokens();
        let is_unit = |token: &Token| matches!(token.class, Class::Unit(_));
        let behind = (typed_at + 1..tokens.len()).take_while(|at| !is_unit(&tokens[*at]));
        let before = (0..typed_at).rev().take_while(|at| !is_unit(&tokens[*at]));
        let behind: Vec<usize> = behind.filter(|at| tokens[*at].is_word()).collect();
        let before: Vec<usize> = before.filter(|at| tokens[*at].is_word()).collect();
        let before = if may_be_before { before } else { Vec::new() };
        for run in [behind, before] {
            let mut attempt = self.pairing.clone();
            if let Some(has_other_kind) = follow(&mut attempt, tokens, street, &run) {
                self.pairing = attempt;
                self.has_other_kind = has_other_kind;
                self.has_kind = street.kind.is_none_or(|kind| self.pairing.is_taken(kind));
                let stored = self.stored.tokens();
                let is_kind = |at: &usize| stored[*at].class == Class::StreetType;
                // `30 The Green` is not in Green Crescent.
                let needs_kind = street.kind.is_some() && street.names.iter().all(is_kind);
                return self.has_kind || !needs_kind;
            }
        }
        false
    }

    /// Looks for the house's name in its order.
    fn find_name(&mut self) {
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
            let run = words[start..].iter().zip(&name);
            let mut found = 0;
            for (typed, stored) in run {
                let Some((_, errors)) = attempt.best(*typed, &[*stored]) else {
                    break;
                };
                attempt.take(*typed, *stored, errors);
                found += 1;
            }
            if found == name.len() {
                self.pairing = attempt;
                self.has_name = true;
                break;
            }
        }
    }

    /// Looks for all other words anywhere. `first` is the query's first number, `behind` where the
    /// stored locality begins.
    fn find_rest(&mut self, first: usize, behind: usize) {
        let tokens = self.query.tokens();
        let all: Vec<usize> = (0..self.stored.tokens().len())
            .filter(|at| self.stored.tokens()[*at].is_word())
            .collect();
        let open: Vec<usize> = (0..tokens.len())
            .filter(|at| tokens[*at].is_word() && self.pairing.found[*at].is_none())
            .collect();
        let locality = behind;
        for pass in [Pass::Exact, Pass::Mistyped, Pass::Kinds] {
            for at in &open {
                if self.pairing.found[*at].is_none() {
                    self.find_word(*at, &all, locality, pass);
                }
            }
        }
        for at in open {
            match self.pairing.found[at] {
                Some(stored) => {
                    let is_behind = stored >= behind;
                    let is_name = tokens[at].class == Class::Name && !is_compass(tokens[at].text());
                    self.places_found += usize::from(is_behind && is_name);
                    self.has_county |= is_behind && tokens[at].class == Class::County;
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

    /// Whether the words beside both are the same.
    fn has_neighbour(&self, at: usize, stored: usize) -> bool {
        let found = |at: Option<usize>| {
            at.and_then(|at| self.pairing.found.get(at).copied())
                .flatten()
        };
        let before = at.checked_sub(1);
        let is_before = found(before).is_some_and(|found| found + 1 == stored);
        let is_behind = found(Some(at + 1)).is_some_and(|found| found == stored + 1);
        is_before || is_behind
    }

    fn count_unknown(&mut self, at: usize, is_before: bool) {
        let token = &self.query.tokens()[at];
        let is_repeated = self.query.tokens()[..at]
            .iter()
            .any(|earlier| earlier.is_word() && earlier.text() == token.text());
        let is_pair_repeated = self.is_pair_repeated(at);
        match token.class {
            Class::Odd => self.is_contradicted = true,
            Class::Letter if !is_before => self.is_contradicted = true,
            Class::Name if is_compass(token.text()) && !is_before => self.is_contradicted = true,
            Class::Name | Class::Letter if is_repeated => {}
            Class::StreetType if is_pair_repeated => {}
            // Another street was typed as well, or another one altogether.
            Class::StreetType if !is_before => self.is_contradicted = true,
            Class::StreetType => self.has_unknown_kind = true,
            Class::Name | Class::Letter if is_before => {
                self.unknown_before += 1;
            }
            Class::Name | Class::Letter => self.unknown += 1,
            Class::County => self.has_unknown_county = true,
            Class::Filler | Class::Unit(_) => {}
        }
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

    /// Two different names at one number are two properties.
    fn compare_names(&mut self, stored_at: usize) {
        let tokens = self.stored.tokens();
        let name: Vec<usize> = (0..stored_at).filter(|at| tokens[*at].is_word()).collect();
        let says = |at: &usize| !is_trade(tokens[*at].text());
        let is_shared =
            |at: &usize| self.pairing.is_taken(*at) && says(at) && !is_house(tokens[*at].text());
        if self.unknown_before > 0 && name.iter().any(says) && !name.iter().any(is_shared) {
            self.is_contradicted = true;
        }
    }

    fn is_enough(&self) -> bool {
        if self.is_contradicted {
            return false;
        }
        if self.has_number {
            self.is_enough_with_number()
        } else {
            self.is_enough_with_name()
        }
    }

    fn is_enough_with_number(&self) -> bool {
        let is_exact_street = self.has_street
            && self.has_kind
            && !self.has_other_kind
            && !self.has_unknown_kind
            && self.unknown == 0
            && !self.lacks_number;
        match self.place {
            PlaceFit::Same if self.has_street => {
                let is_other_street = self.has_other_kind && self.pairing.errors > 0;
                self.unknown <= UNKNOWN_MAX
                    && !is_other_street
                    && (self.has_kind || !self.has_unknown_kind)
            }
            PlaceFit::Same => self.is_number_and_postcode(),
            PlaceFit::Near => {
                is_exact_street
                    && (self.places_found > 0 || self.has_county)
                    && self.pairing.errors <= 1
                    && self.pairing.risk == Risk::None
            }
            PlaceFit::District => is_exact_street && self.pairing.risk < Risk::Great,
            PlaceFit::Unnamed => {
                is_exact_street
                    && self.is_placed()
                    && self.pairing.risk == Risk::None
                    && self.pairing.errors <= ERRORS_MAX
            }
            PlaceFit::Other => false,
        }
    }

    /// Without any postcode, a county is enough only for a street whose name few have.
    fn is_placed(&self) -> bool {
        let tokens = self.stored.tokens();
        let is_county = |at: &usize| tokens[*at].class == Class::County;
        let has_other = (0..tokens.len()).any(|at| is_county(&at) && !self.pairing.is_taken(at));
        if self.has_unknown_county && !self.has_county {
            let town = tokens.last().map_or(0, |last| last.part);
            let is_town = |at: &usize| tokens[*at].part == town && tokens[*at].class == Class::Name;
            if has_other || !(0..tokens.len()).any(|at| is_town(&at) && self.pairing.is_taken(at)) {
                return false;
            }
        }
        let mut street = (0..tokens.len()).filter(|at| self.is_street[*at]);
        let is_everywhere = street
            .all(|at| tokens[at].class == Class::StreetType || is_everywhere(tokens[at].text()));
        self.places_found > 0 || self.has_county && !is_everywhere
    }

    /// The street was left out altogether: nothing that was typed may name another one.
    fn is_number_and_postcode(&self) -> bool {
        let names_street = |token: &Token| token.class == Class::StreetType;
        let is_one = self.query.parsed.units.len() == self.stored.units().len();
        is_one
            && self.unknown + self.unknown_before == 0
            && !self.query.tokens().iter().any(names_street)
    }

    fn is_enough_with_name(&self) -> bool {
        let tokens = self.stored.tokens();
        let is_common = |at: &usize| is_common_in_names(tokens[*at].text());
        let is_common = self.stored.name().iter().all(is_common);
        let unknown = self.unknown + self.unknown_before;
        let found = self.places_found;
        match self.place {
            PlaceFit::Same => unknown == 0 && found >= usize::from(is_common),
            PlaceFit::Near => unknown == 0 && found >= 2 && self.pairing.errors == 0,
            PlaceFit::District => unknown == 0 && found > 0,
            PlaceFit::Unnamed => unknown == 0 && found >= 2 && self.pairing.risk == Risk::None,
            PlaceFit::Other => false,
        }
    }

    /// What was typed decides; stored words that were not typed only order the list, by less than
    /// the lead that a decision needs.
    fn confidence(&self, is_accepted: bool) -> f64 {
        let part = |count: usize, each: f64, most: f64| {
            (f64::from(u32::try_from(count).unwrap_or(u32::MAX)) * each).min(most)
        };
        let untyped = (0..self.stored.tokens().len())
            .filter(|at| self.stored.tokens()[*at].is_word() && !self.pairing.is_taken(*at));
        let place = match self.place {
            PlaceFit::Same => 0.0,
            PlaceFit::District => 0.02,
            PlaceFit::Unnamed => 0.03,
            PlaceFit::Near => 0.05,
            PlaceFit::Other => 0.2,
        };
        let lacks = part(self.pairing.errors, 0.02, 0.06)
            + part(self.unknown, 0.03, 0.06)
            + part(self.unknown_before, 0.015, 0.045)
            + if self.has_other_kind { 0.05 } else { 0.0 }
            + place
            + part(untyped.count(), 0.0005, 0.009);
        if is_accepted {
            return ACCEPTED_MOST - lacks;
        }
        let found = self.pairing.found.iter().flatten().count();
        let words = self
            .query
            .tokens()
            .iter()
            .filter(|token| token.is_word())
            .count();
        let share = part(found, 1.0, f64::MAX) / part(words.max(1), 1.0, f64::MAX);
        let number = if self.has_number { 0.3 } else { 0.0 };
        (share.mul_add(0.4, number) - lacks).clamp(0.0, REFUSED_MAX)
    }
}

/// In which order the words besides the street are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    Exact,
    Mistyped,
    Kinds,
}

/// Follows the street's words along a run of the query's words that begins at the number. Returns
/// whether the kind of street is another; `None` when the street is not there.
fn follow(
    pairing: &mut Pairing<'_>,
    tokens: &[Token],
    street: &Street,
    run: &[usize],
) -> Option<bool> {
    let words: Vec<usize> = street.words().collect();
    let kind: Vec<usize> = street.kind.into_iter().collect();
    let mut has_other_kind = false;
    let mut at = 0;
    while street.names.iter().any(|name| !pairing.is_taken(*name)) {
        let typed = *run.get(at)?;
        at += 1;
        if pairing.found[typed].is_some() {
            continue;
        }
        let best = pairing
            .best(typed, &street.names)
            .or_else(|| pairing.best(typed, &kind));
        if let Some((stored, errors)) = best {
            pairing.take(typed, stored, errors);
        } else if pairing.take_joined(typed, &words) || pairing.take_split(typed, &street.names) {
        } else if tokens[typed].class == Class::StreetType && !has_other_kind {
            has_other_kind = true;
        } else {
            return None;
        }
    }
    let Some(kind) = street.kind.filter(|kind| !pairing.is_taken(*kind)) else {
        return Some(has_other_kind);
    };
    let next = run[at..]
        .iter()
        .copied()
        .find(|typed| pairing.found[*typed].is_none());
    if let Some(typed) = next {
        if let Some((_, errors)) = pairing.best(typed, &[kind]) {
            let risk = Risk::None;
            pairing.take(typed, kind, Errors { risk, ..errors });
        } else if tokens[typed].class == Class::StreetType {
            has_other_kind = true;
            pairing.found[typed] = Some(kind);
        }
    }
    Some(has_other_kind)
}

/// Words behind the number that may be unknown when number, street and full postcode are the same.
const UNKNOWN_MAX: usize = 1;

/// Typing errors without any postcode.
const ERRORS_MAX: usize = 2;

/// The confidence of a match that is not the whole address, word for word.
const ACCEPTED_MOST: f64 = 0.98;

/// The confidence of a property that is no match is at most this.
const REFUSED_MAX: f64 = 0.7;
