//! Ranks stored properties and decides whether one of them is meant.

use std::collections::BTreeMap;

use crate::fit::{Fit, assess};
use crate::known::{Known, Stored};
use crate::normal::normalise;
use crate::place::PlaceFit;
use crate::query::Query;

/// Below this confidence a property is never an answer.
pub(crate) const ACCEPTED: f64 = 0.75;

/// By so much the best must lead for the next not to fit as well.
const LEAD: f64 = 0.015;

/// A property and how well it fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked<Id> {
    /// Whose.
    pub id: Id,
    /// 0.0 to 1.0; below 0.75 it is never the answer.
    pub confidence: f64,
}

/// Properties by how well they fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking<Id> {
    /// Best first, ties by id.
    pub ranked: Vec<Ranked<Id>>,
    /// The best was seen only among answers that were cut off.
    pub(crate) is_cut: bool,
    /// The best is a building of which flats are stored as well, and parts of its address were not
    /// typed: the flat may have been left out like them.
    has_flats: bool,
}

/// Which property is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision<Id> {
    /// This one.
    One(Id),
    /// Several fit equally well (S-7).
    Several,
    /// None fits.
    Nothing,
}

/// How one property fits, and whether all that fit as well are known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing {
    fit: Fit,
    pub(crate) is_certain: bool,
}

impl Standing {
    pub(crate) fn of(query: &Query, known: &Known<'_>) -> Self {
        let stored = Stored::read(known);
        let mut fit = assess(query, &stored);
        if !query.normal.is_empty() && is_whole(query, known) {
            fit.confidence = WHOLE;
            fit.is_all_typed = true;
        }
        Self {
            fit,
            is_certain: false,
        }
    }
}

/// Whether the whole address was typed.
fn is_whole(query: &Query, known: &Known<'_>) -> bool {
    let display = known.display_address;
    query.normal.len() <= display.len()
        && may_be_same(&query.normal, display)
        && query.normal == normalise(display)
}

/// Whether a text's normal form may be this one, by its letters and digits alone: most are told
/// apart by the first, without any normal form.
fn may_be_same(normal: &str, text: &str) -> bool {
    !text.is_ascii() || letters_and_digits(normal).eq(letters_and_digits(text))
}

fn letters_and_digits(text: &str) -> impl Iterator<Item = u8> {
    let said = text.bytes().filter(u8::is_ascii_alphanumeric);
    said.map(|byte| byte.to_ascii_uppercase())
}

fn is_equal(confidence: f64, best: f64) -> bool {
    confidence > best - LEAD
}

/// Ranks candidates that are all there are.
pub fn rank<'c, Id: Copy + Ord>(
    query: &Query,
    candidates: impl Iterator<Item = (Id, Known<'c>)>,
) -> Ranking<Id> {
    let mut standings = BTreeMap::new();
    for (id, known) in candidates {
        let mut standing = Standing::of(query, &known);
        standing.is_certain = true;
        standings.insert(id, standing);
    }
    Ranking::of(&standings)
}

impl<Id> Default for Ranking<Id> {
    fn default() -> Self {
        Self {
            ranked: Vec::new(),
            is_cut: false,
            has_flats: false,
        }
    }
}

impl<Id: Copy + Ord> Ranking<Id> {
    pub(crate) fn of(standings: &BTreeMap<Id, Standing>) -> Self {
        let is_there = |standing: &Standing| {
            let fit = standing.fit;
            fit.is_rival || fit.confidence >= ACCEPTED && fit.place == PlaceFit::Same
        };
        // Only properties of a postcode that was named match, unless none there fits (S-7). One
        // that may be meant there makes no other near-certain.
        let has_same = standings.values().any(is_there);
        let mut ranked: Vec<Ranked<Id>> = standings
            .iter()
            .map(|(id, standing)| {
                let is_elsewhere = has_same && standing.fit.place == PlaceFit::Near;
                let confidence = if is_elsewhere {
                    standing.fit.confidence.min(ELSEWHERE)
                } else {
                    standing.fit.confidence
                };
                Ranked {
                    id: *id,
                    confidence,
                }
            })
            .collect();
        ranked.sort_by(|first, second| {
            let by_fit = second.confidence.total_cmp(&first.confidence);
            by_fit.then(first.id.cmp(&second.id))
        });
        let best = ranked.first().and_then(|best| standings.get(&best.id));
        let has_flats = best.is_some_and(|best| {
            let is_flat = |other: &Standing| other.fit.is_part && other.fit.place == best.fit.place;
            !best.fit.is_all_typed && standings.values().any(is_flat)
        });
        Self {
            is_cut: best.is_some_and(|best| !best.is_certain),
            has_flats,
            ranked,
        }
    }

    /// Those that fit as well as the best.
    pub fn best(&self) -> impl Iterator<Item = Id> {
        let best = self.ranked.first().map_or(0.0, |best| best.confidence);
        let equal = self
            .ranked
            .iter()
            .filter(move |ranked| is_equal(ranked.confidence, best));
        equal.map(|ranked| ranked.id)
    }

    /// The property that is meant, if one alone is.
    pub fn decision(&self) -> Decision<Id> {
        let Some(best) = self
            .ranked
            .first()
            .filter(|best| best.confidence >= ACCEPTED)
        else {
            return Decision::Nothing;
        };
        let next = self.ranked.get(1);
        let is_unsure = self.is_cut || self.has_flats;
        if is_unsure || next.is_some_and(|next| is_equal(next.confidence, best.confidence)) {
            return Decision::Several;
        }
        Decision::One(best.id)
    }
}

/// Of a property whose whole address was typed; it leads any other by enough.
const WHOLE: f64 = 1.0;

/// Of a property in another postcode, where one of the named postcode fits.
const ELSEWHERE: f64 = 0.5;
