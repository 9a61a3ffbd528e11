//! Ranks stored properties and decides whether the query means one of them.

use std::collections::BTreeMap;

use crate::fit::{Fit, Grade, assess};
use crate::known::{Candidate, Known, StoredAddress};
use crate::normal::normalise;
use crate::postcode::PostcodeFit;
use crate::query::Query;

/// A property below this confidence is never an answer.
const ACCEPTED_MIN: f64 = 0.75;

/// Properties within this distance of the best one fit as well.
const LEAD_MIN: f64 = 0.015;

/// The confidence when the whole address was typed. It leads every other match by enough.
const IDENTICAL: f64 = 1.0;

/// The highest confidence in another postcode when a property of the typed postcode fits, and of a
/// property that others may claim.
const ELSEWHERE_MAX: f64 = 0.5;

/// A property and how well it fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked<Id> {
    /// The property's id.
    pub id: Id,
    /// 0.0 to 1.0; below 0.75 the property is never the answer.
    pub confidence: f64,
    /// Whether the property has exactly the typed numbers and name. Otherwise it is a range with the typed
    /// number, or a house with a similar name, and no other property of the postcode has that number or name.
    pub is_exact: bool,
}

/// Properties by how well they fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking<Id> {
    /// The best first, equal ones by id.
    pub ranked: Vec<Ranked<Id>>,
    /// Each answer that held the best property was cut off, so another property may fit as well.
    pub(crate) is_cut_off: bool,
    /// Another property may be meant as well: a flat of the best one, which is a building, if the
    /// query leaves out parts of the address and so perhaps the flat, or a property that claims the
    /// number or name by which the best one was found.
    has_claims: bool,
    /// The best property is verified, and no other that fits as well is.
    is_preferred: bool,
    /// The properties that fit in all that was typed, which is too little to be certain.
    pub(crate) too_little: usize,
}

/// Which property the query means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision<Id> {
    /// This property.
    One(Id),
    /// Several properties fit equally well (S-7).
    Several,
    /// The text says too little to be certain of one property. Perhaps one is known that fits.
    TooLittle,
    /// No property fits.
    Nothing,
}

/// How one property fits, and whether the search knows its rivals.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Assessed {
    fit: Fit,
    is_verified: bool,
    /// An answer that was not cut off held the property.
    pub(crate) is_certain: bool,
}

impl Assessed {
    pub(crate) fn new<Id>(query: &Query, candidate: &Candidate<Id>) -> Self {
        let known = candidate.known();
        let mut fit = assess(query, &StoredAddress::read(&known));
        if !query.normal.is_empty() && is_identical(query, &known) && !is_twin(candidate) {
            fit.confidence = IDENTICAL;
            fit.is_all_typed = true;
            fit.grade = Grade::Plain;
        }
        Self {
            fit,
            is_verified: candidate.is_verified,
            is_certain: false,
        }
    }

    fn is_unclaimed(&self) -> bool {
        self.fit.grade == Grade::Unclaimed
    }

    /// Whether the property claims the typed number or name.
    fn is_claim(&self) -> bool {
        self.fit.is_rival || self.fit.is_flat_of_building
    }

    /// Whether no unverified property can fit better. One in the typed postcode beats a verified one that
    /// fits only with a typing error in the postcode.
    pub(crate) fn beats_unverified(&self) -> bool {
        self.is_verified && !matches!(self.fit.postcode, PostcodeFit::Near | PostcodeFit::Other)
    }
}

/// Whether somebody may have made the property up so that it looks like a verified one. It never
/// leads by its spelling.
fn is_twin<Id>(candidate: &Candidate<Id>) -> bool {
    !candidate.is_verified && unicode::is_disguised(&candidate.display_address)
}

fn is_identical(query: &Query, known: &Known<'_>) -> bool {
    let display = known.display_address;
    may_be_identical(&query.normal, display) && query.normal == normalise(display)
}

/// Compares letters and digits. The first one differs most often, which saves making a normal form.
fn may_be_identical(normal: &str, text: &str) -> bool {
    // The normal form of other characters may be longer than the text.
    !text.is_ascii()
        || normal.len() <= text.len() && letters_and_digits(normal).eq(letters_and_digits(text))
}

fn letters_and_digits(text: &str) -> impl Iterator<Item = u8> {
    let bytes = text.bytes().filter(u8::is_ascii_alphanumeric);
    bytes.map(|byte| byte.to_ascii_uppercase())
}

impl<Id> Default for Ranking<Id> {
    fn default() -> Self {
        Self {
            ranked: Vec::new(),
            is_cut_off: false,
            has_claims: false,
            is_preferred: false,
            too_little: 0,
        }
    }
}

impl<Id: Copy + Ord> Ranking<Id> {
    /// `is_postcode_seen`: the search has all properties of the typed postcode, and so all that may
    /// claim a number.
    pub(crate) fn of(assessed: &BTreeMap<Id, Assessed>, is_postcode_seen: bool) -> Self {
        let mut ranked = sort_by_confidence(assessed, is_postcode_seen);
        let is_preferred = put_verified_first(&mut ranked, assessed);
        let best = ranked.first().and_then(|best| assessed.get(&best.id));
        let has_flats = best.is_some_and(|best| {
            // Somebody may have made an unverified flat up.
            let is_flat = |other: &Assessed| {
                other.fit.is_flat_of_building
                    && other.fit.postcode == best.fit.postcode
                    && (other.is_verified || !best.is_verified)
            };
            !best.fit.is_all_typed && assessed.values().any(is_flat)
        });
        let mut others = ranked.iter().skip(1);
        let is_claimed = best.is_some_and(Assessed::is_unclaimed)
            && others.any(|other| assessed.get(&other.id).is_some_and(Assessed::is_claim));
        let too_little = assessed.values().map(|other| other.fit.grade);
        Self {
            is_cut_off: best.is_some_and(|best| !best.is_certain),
            has_claims: has_flats || is_claimed,
            is_preferred,
            too_little: too_little
                .filter(|grade| *grade == Grade::TooLittle)
                .count(),
            ranked,
        }
    }

    /// The properties that fit as well as the best one.
    pub fn best(&self) -> impl Iterator<Item = Id> {
        let best = self.ranked.first().map_or(0.0, |best| best.confidence);
        let ranked = self.ranked.iter();
        let equal = ranked.filter(move |ranked| is_equal(ranked.confidence, best));
        equal.map(|ranked| ranked.id)
    }

    /// The property that the query means, if exactly one fits best.
    pub fn decision(&self) -> Decision<Id> {
        let Some(best) = self.fitting() else {
            return match self.too_little {
                0 => Decision::Nothing,
                1 => Decision::TooLittle,
                _ => Decision::Several,
            };
        };
        let next = self.ranked.get(1);
        let has_equal = next.is_some_and(|next| is_equal(next.confidence, best.confidence));
        let is_alone = !has_equal || self.is_preferred;
        if self.is_cut_off || self.has_claims || !is_alone {
            return Decision::Several;
        }
        Decision::One(best.id)
    }

    /// The property that the query means with its own numbers and name, and not as a number of its
    /// range or by a similar name.
    pub fn exact_decision(&self) -> Option<Id> {
        let best = self.ranked.first().filter(|best| best.is_exact)?;
        (self.decision() == Decision::One(best.id)).then_some(best.id)
    }

    /// The best property, if it fits well enough.
    pub(crate) fn fitting(&self) -> Option<&Ranked<Id>> {
        let best = self.ranked.first();
        best.filter(|best| best.confidence >= ACCEPTED_MIN)
    }
}

/// S-7: another postcode matches only when no property of the typed postcode fits. A property there
/// that the query may mean is enough to make others uncertain.
fn sort_by_confidence<Id: Copy + Ord>(
    assessed: &BTreeMap<Id, Assessed>,
    is_postcode_seen: bool,
) -> Vec<Ranked<Id>> {
    let is_in_postcode = |Assessed { fit, .. }: &Assessed| {
        fit.is_rival || fit.confidence >= ACCEPTED_MIN && fit.postcode == PostcodeFit::Same
    };
    let is_any_in_postcode = assessed.values().any(is_in_postcode);
    let ranked = assessed.iter().map(|(id, Assessed { fit, .. })| {
        let is_elsewhere = is_any_in_postcode && fit.postcode == PostcodeFit::Near;
        let may_be_claimed = fit.grade == Grade::Unclaimed && !is_postcode_seen;
        let most = if is_elsewhere || may_be_claimed {
            ELSEWHERE_MAX
        } else {
            IDENTICAL
        };
        Ranked {
            id: *id,
            confidence: fit.confidence.min(most),
            is_exact: fit.grade != Grade::Unclaimed,
        }
    });
    let mut ranked: Vec<Ranked<Id>> = ranked.collect();
    ranked.sort_by(|first, second| {
        let by_confidence = second.confidence.total_cmp(&first.confidence);
        by_confidence.then(first.id.cmp(&second.id))
    });
    ranked
}

/// S-7: a verified property beats unverified ones that fit equally well. It also beats one that fits better
/// in the same postcode: somebody may have made that one up, with an address that fits better. Returns
/// whether exactly one verified property fits best.
fn put_verified_first<Id: Copy + Ord>(
    ranked: &mut [Ranked<Id>],
    assessed: &BTreeMap<Id, Assessed>,
) -> bool {
    let Some(best) = ranked.first().copied() else {
        return false;
    };
    let postcode_of = |id: Id| assessed.get(&id).map(|property| property.fit.postcode);
    let is_verified = |ranked: &Ranked<Id>| {
        let property = assessed.get(&ranked.id);
        property.is_some_and(|property| property.is_verified)
    };
    let may_be_meant = |next: &Ranked<Id>| {
        let is_as_exact = next.is_exact == best.is_exact;
        is_equal(next.confidence, best.confidence)
            || next.confidence >= ACCEPTED_MIN
                && postcode_of(next.id) == postcode_of(best.id)
                && is_as_exact
    };
    let fitting = ranked.iter().enumerate();
    let mut verified = fitting.filter(|(_, next)| is_verified(next) && may_be_meant(next));
    let Some((first, found)) = verified.next() else {
        return false;
    };
    let is_alone = !verified.any(|(_, next)| is_equal(next.confidence, found.confidence));
    if let Some(beaten) = ranked.get_mut(..=first) {
        beaten.rotate_right(1);
    }
    is_alone
}

fn is_equal(confidence: f64, best: f64) -> bool {
    confidence > best - LEAD_MIN
}
