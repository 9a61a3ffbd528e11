//! How well one stored address fits a query (S-7). What contradicts it is never outweighed.

use crate::known::Stored;
use crate::parse::{Class, Token};
use crate::place::PlaceFit;
use crate::query::Query;
use crate::street::Street;
use crate::units::{UnitsFit, fit_units};
use crate::wording::Pairing;
use crate::words::{is_building, is_common_in_names, is_compass};

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
    /// The street is of another kind: `LANE` for `ROAD`.
    has_other_kind: bool,
    /// The house's name was typed, in its order.
    has_name: bool,
    /// Words found behind the street or the name.
    places_found: usize,
    /// Words behind the number that are nowhere in the stored address.
    unknown: usize,
    /// The same before the number.
    unknown_before: usize,
    is_contradicted: bool,
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
            has_other_kind: false,
            has_name: false,
            places_found: 0,
            unknown: 0,
            unknown_before: 0,
            is_contradicted: false,
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
        let first = self.query.parsed.unit_at(0).unwrap_or_default();
        self.has_street = self.find_street(&street, typed_at);
        if fit.stored_missing > 0 && !self.has_street {
            self.is_contradicted = true;
        }
        if fit.needs_building_name && !self.ends_with_building(&street) {
            self.is_contradicted = true;
        }
        let behind = street.words().max().map_or(stored_at, |last| last + 1);
        self.find_rest(first, behind);
        self.compare_names(first);
    }

    fn ends_with_building(&self, street: &Street) -> bool {
        let mut words = street.words().map(|at| self.stored.tokens()[at].text());
        self.has_street && words.any(is_building)
    }

    /// Looks for the street right behind the number, else right before it.
    fn find_street(&mut self, street: &Street, typed_at: usize) -> bool {
        if street.names.is_empty() {
            return false;
        }
        let tokens = self.query.tokens();
        let is_unit = |token: &Token| matches!(token.class, Class::Unit(_));
        let behind = (typed_at + 1..tokens.len()).take_while(|at| !is_unit(&tokens[*at]));
        let before = (0..typed_at).rev().take_while(|at| !is_unit(&tokens[*at]));
        let behind: Vec<usize> = behind.filter(|at| tokens[*at].is_word()).collect();
        let before: Vec<usize> = before.filter(|at| tokens[*at].is_word()).collect();
        for run in [behind, before] {
            let mut attempt = self.pairing.clone();
            if let Some(has_other_kind) = follow(&mut attempt, tokens, street, &run) {
                self.pairing = attempt;
                self.has_other_kind = has_other_kind;
                return true;
            }
        }
        false
    }

    /// Looks for the house's name in its order, and for the street if the stored address has a
    /// number that the query leaves out.
    fn find_name(&mut self) {
        let name = self.stored.name();
        let tokens = self.query.tokens();
        let words: Vec<usize> = (0..tokens.len())
            .filter(|at| tokens[*at].is_word())
            .collect();
        if name.is_empty() {
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
        let Some(last) = self
            .stored
            .units()
            .len()
            .checked_sub(1)
            .filter(|_| self.has_name)
        else {
            return;
        };
        let street = Street::behind(self.stored, last);
        let typed_last = self.pairing.found.iter().rposition(Option::is_some);
        self.has_street = self.find_street(&street, typed_last.unwrap_or_default());
        self.is_contradicted |= !self.has_street;
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
        for is_exact in [true, false] {
            for at in &open {
                if self.pairing.found[*at].is_some() {
                    continue;
                }
                match self.pairing.best(*at, &all) {
                    Some((stored, errors)) if errors.count == 0 || !is_exact => {
                        self.pairing.take(*at, stored, errors);
                    }
                    Some(_) | None if is_exact => {}
                    Some(_) | None => {
                        let _ = self.pairing.take_joined(*at, &all)
                            || self.pairing.take_split(*at, &all);
                    }
                }
            }
        }
        for at in open {
            match self.pairing.found[at] {
                Some(stored) => {
                    let says = self.stored.tokens()[stored].class != Class::Letter;
                    self.places_found += usize::from(stored >= behind && says);
                }
                None => self.count_unknown(at, at < first),
            }
        }
    }

    fn count_unknown(&mut self, at: usize, is_before: bool) {
        let token = &self.query.tokens()[at];
        let is_repeated = self.query.tokens()[..at]
            .iter()
            .any(|earlier| earlier.is_word() && earlier.text() == token.text());
        match token.class {
            Class::Odd => self.is_contradicted = true,
            Class::Letter if !is_before => self.is_contradicted = true,
            Class::Name if is_compass(token.text()) && !is_before => self.is_contradicted = true,
            Class::Name | Class::StreetType | Class::Letter if is_repeated => {}
            Class::Name | Class::StreetType | Class::Letter if is_before => {
                self.unknown_before += 1;
            }
            Class::Name | Class::StreetType | Class::Letter => self.unknown += 1,
            Class::County | Class::Filler | Class::Unit(_) => {}
        }
    }

    /// Two different names at one number are two properties.
    fn compare_names(&mut self, first: usize) {
        let name = self.stored.name();
        let says = |at: &&usize| self.stored.tokens()[**at].class == Class::Name;
        let has_own = name.iter().any(|at| says(&at));
        let shares = name.iter().any(|at| self.pairing.is_taken(*at));
        if has_own && !shares && self.unknown_before > 0 && first > 0 {
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
        let is_exact_street = self.has_street && !self.has_other_kind && self.unknown == 0;
        match self.place {
            PlaceFit::Same if self.has_street => self.unknown <= UNKNOWN_MAX,
            PlaceFit::Same => self.is_number_and_postcode(),
            PlaceFit::Near => {
                is_exact_street
                    && self.places_found > 0
                    && self.pairing.errors <= 1
                    && !self.pairing.is_risky
            }
            PlaceFit::District => is_exact_street && !self.pairing.is_risky,
            PlaceFit::Unnamed => {
                is_exact_street
                    && self.places_found > 0
                    && !self.pairing.is_risky
                    && self.pairing.errors <= ERRORS_MAX
            }
            PlaceFit::Other => false,
        }
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
            PlaceFit::District => unknown == 0 && found > usize::from(is_common),
            PlaceFit::Unnamed => {
                unknown == 0 && found >= 2 + usize::from(is_common) && !self.pairing.is_risky
            }
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
            return 0.99 - lacks;
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
            pairing.take(typed, kind, errors);
        } else if tokens[typed].class == Class::StreetType {
            has_other_kind = true;
            pairing.found[typed] = Some(kind);
        }
    }
    Some(has_other_kind)
}

/// Words that may be unknown when number, street and full postcode are the same.
const UNKNOWN_MAX: usize = 2;

/// Typing errors without any postcode.
const ERRORS_MAX: usize = 2;

/// The confidence of a property that is no match is at most this.
const REFUSED_MAX: f64 = 0.7;
