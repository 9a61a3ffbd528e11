//! Finds the house or building of a typed name and street. The typed text lacks the number, or its name
//! has one word more or less than the stored name.

use crate::house_name::follow_name;
use crate::known::StoredAddress;
use crate::pairing::Pairing;
use crate::parse::{Class, Token};
use crate::query::Query;
use crate::street::{Street, StreetFit};
use crate::typo::Risk;
use crate::unknown::is_beside_house;
use crate::words::{
    Marker, is_building, is_common_in_names, is_compass, is_house, is_part_or_name, part_of_house,
};

/// The most typing errors in name, street and town.
const ERRORS_MAX: usize = 2;

/// How a typed name and street fit a stored house.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NamedFit {
    /// The words of the name that only one of the two addresses has: at most one.
    pub(crate) misses: usize,
    pub(crate) errors: usize,
    /// The query names the street and no house.
    pub(crate) is_street_alone: bool,
    /// The query leaves out the flat.
    pub(crate) lacks_flat: bool,
}

/// The name and the street of a stored house or building. Words are indices of stored tokens.
#[derive(Debug)]
pub(crate) struct Place {
    name: Vec<usize>,
    pub(crate) street: Street,
    /// How many units come before the building's number.
    flats: usize,
}

impl Place {
    /// `OAK HOUSE` and `SAXON WAY` of `Flat 2, Oak House, 1 Saxon Way`, with or without the numbers.
    pub(crate) fn of(stored: &StoredAddress) -> Self {
        let (tokens, units) = (stored.tokens(), stored.units());
        let words = |from, to| (from..to).filter(|at: &usize| tokens[*at].is_word());
        let last = units.len().checked_sub(1);
        let number = last.filter(|last| units[*last].marker == Marker::Bare);
        if let Some(number) = number {
            let at = stored.parsed.unit_at(number).unwrap_or_default();
            return Self {
                name: words(0, at).collect(),
                street: Street::behind(stored, number),
                flats: number,
            };
        }
        let name = last.map_or_else(|| stored.name(), |last| stored.words_behind(last));
        let behind = name.last().map_or(tokens.len(), |last| last + 1);
        let behind = stored.in_part_of_first(words(behind, tokens.len()));
        Self {
            street: Street::of_words(stored, behind),
            name,
            flats: units.len(),
        }
    }
}

/// Fits a query without a building's number to a stored house. The street and all typed words
/// behind it have to fit.
pub(crate) fn fit_named(query: &Query, stored: &StoredAddress) -> Option<NamedFit> {
    let place = Place::of(stored);
    let flats = &stored.units()[..place.flats];
    let typed_flats = &query.parsed.units;
    let lacks_flat = typed_flats.is_empty() && !flats.is_empty();
    if place.street.names.is_empty() || !lacks_flat && typed_flats != flats {
        return None;
    }
    let (typed, known) = (query.tokens(), stored.tokens());
    let is_word = |at: &usize| typed[*at].is_word();
    let words: Vec<usize> = (0..typed.len()).filter(is_word).collect();
    let fits = (0..words.len()).filter_map(|at| {
        let (name, behind) = words.split_at(at);
        let mut pairing = Pairing::new(typed, known);
        if place.street.follow(&mut pairing, typed, behind) != StreetFit::Whole {
            return None;
        }
        let (mut pairing, misses) = fit_name(pairing, name, &place.name)?;
        pair_rest(&mut pairing, behind)?;
        if misses > 0 && may_be_town(&pairing, name) {
            return None;
        }
        let is_certain = pairing.errors <= ERRORS_MAX && pairing.risk < Risk::Great;
        // Without a street type, the words may be a town instead of a street.
        let is_name_whole = misses == 0 && !name.is_empty();
        let has_street = is_name_whole || place.street.street_type.is_some();
        (is_certain && has_street).then_some(NamedFit {
            misses,
            errors: pairing.errors,
            is_street_alone: name.is_empty(),
            lacks_flat,
        })
    });
    fits.min()
}

/// Pairs the words of two names in their order. One word may be missing on either side, if another
/// one tells the building.
fn fit_name<'a>(
    pairing: Pairing<'a>,
    typed: &[usize],
    stored: &[usize],
) -> Option<(Pairing<'a>, usize)> {
    if typed.is_empty() {
        return Some((pairing, 0));
    }
    let follow = |typed: &[usize], stored: &[usize]| {
        let mut attempt = pairing.clone();
        let is_whole = follow_name(&mut attempt, typed, stored)
            && typed.iter().all(|at| attempt.found[*at].is_some());
        is_whole.then_some(attempt)
    };
    if let Some(whole) = follow(typed, stored) {
        return Some((whole, 0));
    }
    let has_flat = pairing.typed.iter().any(|token| token.unit().is_some());
    let is_plural = |token: &Token| PLURALS.contains(&token.text());
    let shorter = |words: &[usize], at: usize| [&words[..at], &words[at + 1..]].concat();
    let stored_more = (0..stored.len()).filter_map(|at| {
        let token = &pairing.stored[stored[at]];
        // `Park Garage` is a name as often as a part of a house.
        let is_name = part_of_house(&token.written).is_some_and(is_part_or_name)
            || OMITTED.contains(&token.text());
        let attempt = || follow(typed, &shorter(stored, at));
        (is_forgiven(token) || is_name).then(attempt)?
    });
    let typed_more = (0..typed.len()).filter_map(|at| {
        let token = &pairing.typed[typed[at]];
        let is_forgiven = is_forgiven(token) && (has_flat || !is_plural(token));
        let attempt = || follow(&shorter(typed, at), stored);
        is_forgiven.then(attempt)?
    });
    let tells_building = |attempt: &Pairing<'_>| {
        let found = stored.iter().filter(|at| attempt.is_taken(**at));
        let mut found = found.map(|at| &attempt.stored[*at]);
        // `Larkspur Edgcumbe` is not `The Edgcumbe`.
        let other = typed.iter().filter(|at| attempt.found[**at].is_none());
        let is_other = other.clone().any(|at| is_distinctive(&attempt.typed[*at]));
        (!is_other || found.clone().count() > 1) && found.any(is_distinctive)
    };
    let found = stored_more.chain(typed_more).find(tells_building);
    found.map(|attempt| (attempt, 1))
}

/// Whether the typed name is one word that may be the town as well: `Manchester, Oxford Road` is not
/// Manchester Museum there.
fn may_be_town(pairing: &Pairing<'_>, name: &[usize]) -> bool {
    let mut found = name.iter().filter(|at| pairing.found[**at].is_some());
    let (Some(only), None) = (found.next(), found.next()) else {
        return false;
    };
    let mut stored = pairing.stored.iter().enumerate();
    stored.any(|(at, token)| !pairing.is_taken(at) && token.text() == pairing.typed[*only].text())
}

/// Whether two names may be one building's although only one of them has this word. `Old`, `North`,
/// `Cottage` and `Rectory` make another building.
fn is_forgiven(token: &Token) -> bool {
    let text = token.text();
    matches!(token.class, Class::Name | Class::StreetType)
        && !is_beside_house(token)
        && !is_compass(text)
        && (!is_building(text) || is_house(text) || LARGE.contains(&text))
        && text != "FM"
}

/// Buildings with many homes. A name may have or lack such a word.
const LARGE: [&str; 6] = ["TOWER", "TOWERS", "POINT", "HTS", "WHARF", "LOFTS"];

/// Words that people leave out of a building's name.
const OMITTED: [&str; 3] = ["HALL", "MNR", "SCH"];

/// Words for a building with flats. An address with such a word and without a flat fits no property.
const PLURALS: [&str; 4] = ["APARTMENTS", "FLATS", "LOFTS", "MANS"];

/// Whether few buildings have this word in their names.
fn is_distinctive(token: &Token) -> bool {
    let text = token.text();
    token.class == Class::Name
        && !(is_common_in_names(text) || is_house(text) || is_building(text) || is_compass(text))
}

/// Pairs the words behind the street. A county may be unknown.
fn pair_rest(pairing: &mut Pairing<'_>, words: &[usize]) -> Option<()> {
    let all: Vec<usize> = (0..pairing.stored.len())
        .filter(|at| pairing.stored[*at].is_word())
        .collect();
    for at in words {
        if pairing.found[*at].is_some() {
            continue;
        }
        if let Some((stored, typos)) = pairing.best(*at, &all) {
            pairing.take(*at, stored, typos);
        } else if pairing.typed[*at].class != Class::County {
            return None;
        }
    }
    Some(())
}
