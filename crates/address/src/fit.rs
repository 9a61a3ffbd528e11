//! Decides how well a stored address fits a query (S-7). A contradiction is never outweighed.

use crate::evidence::{County, Evidence, MatchedBy};
use crate::known::StoredAddress;
use crate::named::fit_named;
use crate::number::Unit;
use crate::parse::{Class, Token};
use crate::postcode::PostcodeFit;
use crate::query::Query;
use crate::street::StreetFit;
use crate::typo::Risk;
use crate::words::{Marker, is_common_in_names, is_everywhere, is_in_several_counties, is_trade};

/// The most unknown words behind the number when number, street and full postcode are the same.
const UNKNOWN_MAX: usize = 2;

/// The most typing errors without a full postcode.
const ERRORS_MAX: usize = 2;

/// The confidence of a match, without the whole address, before anything is subtracted.
const ACCEPTED_MAX: f64 = 0.98;

/// The highest confidence of a property that is no match.
const REFUSED_MAX: f64 = 0.7;

/// The confidence that a match loses if another property may claim its number or name.
const UNCLAIMED: f64 = 0.08;

/// The confidence that a match loses for a word of its name.
const WORD_OF_NAME: f64 = 0.05;

/// How well a property fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fit {
    /// 0.0 to 1.0.
    pub(crate) confidence: f64,
    pub(crate) postcode: PostcodeFit,
    /// The property is a flat in the typed building and fits in everything else.
    pub(crate) is_flat_of_building: bool,
    /// The property has the typed postcode, the typed numbers and a street of that name, even if it
    /// does not fit in everything else.
    pub(crate) is_rival: bool,
    /// The query has every word of the stored address.
    pub(crate) is_all_typed: bool,
    pub(crate) grade: Grade,
}

/// How a fit counts beside the fits of other properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grade {
    /// Its confidence alone decides.
    Plain,
    /// The property is a match if no other one of the postcode claims the typed number or name.
    Unclaimed,
    /// All that was typed fits, and it is too little for a match.
    TooLittle,
}

/// Compares a query with a stored address.
pub(crate) fn assess(query: &Query, stored: &StoredAddress) -> Fit {
    let evidence = Evidence::collect(query, stored);
    let is_enough = evidence.is_enough();
    let is_of_building = evidence.matched_by == MatchedBy::BuildingNumbers;
    let is_same_postcode = evidence.postcode == PostcodeFit::Same;
    let is_match = is_enough && !is_of_building;
    let fit = Fit {
        confidence: evidence.confidence(is_match),
        postcode: evidence.postcode,
        is_rival: is_same_postcode && evidence.has_numbers() && evidence.names_street(),
        is_flat_of_building: is_enough && is_of_building && !evidence.has_range(),
        is_all_typed: is_same_postcode && evidence.untyped_words() == 0,
        grade: if is_match && evidence.has_range() {
            Grade::Unclaimed
        } else if !is_enough && evidence.is_too_little() {
            Grade::TooLittle
        } else {
            Grade::Plain
        },
    };
    if is_match {
        fit
    } else {
        fit.by_name(query, stored)
    }
}

impl Fit {
    /// Fits a query that leaves out the number of the building, or a word of its name.
    fn by_name(self, query: &Query, stored: &StoredAddress) -> Self {
        let is_other = matches!(self.postcode, PostcodeFit::Near | PostcodeFit::Other);
        let named = (!is_other && !query.parsed.is_unclear).then(|| fit_named(query, stored));
        let Some(named) = named.flatten() else {
            return self;
        };
        let is_match = self.postcode == PostcodeFit::Same && !named.is_street_alone;
        if is_match && !named.lacks_flat {
            let misses = weigh(named.misses, WORD_OF_NAME, 1.0);
            let errors = weigh(named.errors, 0.02, 0.06);
            return Self {
                confidence: ACCEPTED_MAX - UNCLAIMED - misses - errors,
                grade: Grade::Unclaimed,
                ..self
            };
        }
        let is_too_little = !is_match && named.misses + named.errors == 0;
        Self {
            is_flat_of_building: self.is_flat_of_building || is_match,
            grade: if is_too_little {
                Grade::TooLittle
            } else {
                self.grade
            },
            ..self
        }
    }
}

impl Evidence<'_> {
    fn is_enough(&self) -> bool {
        !self.is_contradicted
            && match self.matched_by {
                MatchedBy::Nothing => false,
                MatchedBy::Numbers | MatchedBy::BuildingNumbers => self.is_enough_with_number(),
                MatchedBy::Name => self.is_enough_with_name(),
            }
    }

    /// Whether all typed words fit, and only the place or the house is missing.
    fn is_too_little(&self) -> bool {
        let words = self.query.tokens().iter().zip(&self.pairing.found);
        let mut unknown = words.filter(|(token, found)| token.is_word() && found.is_none());
        let fits = match self.matched_by {
            MatchedBy::Numbers => self.street_fit == StreetFit::Whole && !self.lacks_number(),
            MatchedBy::Name => true,
            MatchedBy::Nothing | MatchedBy::BuildingNumbers => false,
        };
        let is_placed = matches!(self.postcode, PostcodeFit::Same | PostcodeFit::Near);
        let is_exact = self.pairing.errors == 0 && !self.is_contradicted;
        fits && !is_placed && is_exact && unknown.next().is_none()
    }

    fn has_numbers(&self) -> bool {
        matches!(
            self.matched_by,
            MatchedBy::Numbers | MatchedBy::BuildingNumbers
        )
    }

    fn names_street(&self) -> bool {
        self.street.iter().any(|at| self.pairing.is_taken(*at))
    }

    fn untyped_words(&self) -> usize {
        let tokens = self.stored.tokens();
        let is_untyped = |at: &usize| tokens[*at].is_word() && !self.pairing.is_taken(*at);
        (0..tokens.len()).filter(is_untyped).count()
    }

    fn is_enough_with_number(&self) -> bool {
        let is_whole_street = self.street_fit == StreetFit::Whole;
        let is_known = self.unknown_behind == 0 && !self.has_unknown_type;
        let is_exact = is_whole_street && is_known && !self.lacks_number();
        if self.has_range() {
            let is_same = self.postcode == PostcodeFit::Same && self.unknown_before == 0;
            let is_certain = self.pairing.risk < Risk::Great && self.pairing.errors <= ERRORS_MAX;
            return is_same && is_certain && is_whole_street && is_known;
        }
        let (errors, risk) = (self.pairing.errors, self.pairing.risk);
        match self.postcode {
            PostcodeFit::Same if self.street_fit == StreetFit::Missing => {
                self.is_number_and_postcode()
            }
            // An unknown word behind a street's name without its type may be another type.
            PostcodeFit::Same => {
                let is_other = self.street_fit == StreetFit::OtherType;
                self.unknown_behind <= UNKNOWN_MAX && !is_other && (is_whole_street || is_known)
            }
            // S-7 asks for a near-certain match when the postcode differs.
            PostcodeFit::Near => {
                let is_placed = self.localities_found > 0 || self.county == County::Found;
                let is_certain = is_placed && errors == 0 && self.unknown_before == 0;
                is_exact && is_certain && !self.lacks_article()
            }
            PostcodeFit::District => is_exact && errors <= ERRORS_MAX && risk < Risk::Great,
            PostcodeFit::Absent => {
                is_exact && self.is_placed() && errors <= ERRORS_MAX && risk == Risk::None
            }
            PostcodeFit::Other => false,
        }
    }

    /// Whether only an article could tell the street: `2 Green` may be Green Lane or The Green.
    fn lacks_article(&self) -> bool {
        let is_type_only = matches!(self.street[..], [name] if self.is_stored_type(name));
        let is_article = |token: &Token| token.written == "THE";
        is_type_only && !self.query.tokens().iter().any(is_article)
    }

    /// Whether the town identifies the street without a postcode. A county is enough only for a
    /// rare street name.
    fn is_placed(&self) -> bool {
        if self.county == County::Unknown && self.may_be_in_other_county() {
            return false;
        }
        let tokens = self.stored.tokens();
        let is_common = |at: &usize| self.is_stored_type(*at) || is_everywhere(tokens[*at].text());
        self.is_town_found() || self.county == County::Found && !self.street.iter().all(is_common)
    }

    /// Whether the stored address may be in another county than the typed one. It is not when its
    /// town was typed, only one county has a town of that name, and it has no other county.
    fn may_be_in_other_county(&self) -> bool {
        let tokens = self.stored.tokens();
        let town = tokens.last().map_or(0, |last| last.part);
        let has_town = tokens.iter().enumerate().any(|(at, token)| {
            let is_name = token.part == town && token.class == Class::Name;
            is_name && self.pairing.is_taken(at) && !is_in_several_counties(token.text())
        });
        self.is_in_other_county() || !has_town
    }

    /// Whether the stored address names another county than the typed one.
    fn is_in_other_county(&self) -> bool {
        let mut tokens = self.stored.tokens().iter().enumerate();
        self.county == County::Unknown
            && tokens.any(|(at, token)| token.class == Class::County && !self.pairing.is_taken(at))
    }

    /// Whether the town was typed. The part behind a building's name is its street, and the town
    /// comes after it.
    fn is_town_found(&self) -> bool {
        let tokens = self.stored.tokens();
        let Some(part) = self.name_part else {
            return self.localities_found > 0;
        };
        let is_town = |at: &usize| tokens[*at].part > part + 1 && tokens[*at].class == Class::Name;
        let mut towns = (0..tokens.len()).filter(is_town).peekable();
        let has_street = towns.peek().is_some();
        self.localities_found > 0 && (!has_street || towns.any(|at| self.pairing.is_taken(at)))
    }

    /// Whether number and postcode are enough without a street. No word may belong to another
    /// street, and a flat needs its house's name, because another house may have that flat.
    fn is_number_and_postcode(&self) -> bool {
        let tokens = self.query.tokens();
        let is_of_street =
            |token: &Token| token.class == Class::StreetType || token.written == "THE";
        let is_accounted_for = |(token, found): (&Token, &Option<usize>)| {
            found.is_some() || !token.is_word() || token.class == Class::County
        };
        let units = &self.query.parsed.units;
        let is_house = |unit: &Unit| unit.marker == Marker::Bare;
        units.len() == self.stored.units().len()
            && (units.iter().all(is_house) || self.is_name_found())
            && tokens.iter().zip(&self.pairing.found).all(is_accounted_for)
            && !tokens.iter().any(is_of_street)
    }

    /// Whether the query names the house before the stored number.
    fn is_name_found(&self) -> bool {
        let tokens = self.stored.tokens();
        let is_found =
            |at: &usize| self.pairing.is_taken(*at) && !is_common_in_names(tokens[*at].text());
        self.stored.name().iter().any(is_found)
    }

    fn is_enough_with_name(&self) -> bool {
        let found = self.localities_found;
        if self.unknown_behind + self.unknown_before > 0
            || self.postcode != PostcodeFit::Same && self.is_street_alone()
        {
            return false;
        }
        match self.postcode {
            PostcodeFit::Same => {
                let is_trade = |at: &usize| is_trade(self.stored.tokens()[*at].text());
                found >= usize::from(self.stored.name().iter().all(is_trade))
            }
            PostcodeFit::Near => found >= 2 && self.pairing.errors == 0,
            PostcodeFit::District => found > 0,
            PostcodeFit::Absent => {
                let is_placed = !self.is_in_other_county() && self.is_town_found();
                found >= 2 && is_placed && self.pairing.risk == Risk::None
            }
            PostcodeFit::Other => false,
        }
    }

    /// Whether the stored address names a street and no house, so that any house may be meant.
    fn is_street_alone(&self) -> bool {
        let name = self.stored.name();
        let behind = name.last().map_or(0, |last| last + 1);
        let mut rest = behind..self.stored.tokens().len();
        name.iter().any(|at| self.is_stored_type(*at)) && !rest.any(|at| self.is_stored_type(at))
    }

    fn confidence(&self, is_match: bool) -> f64 {
        let lacks = self.shortfall();
        if is_match {
            let claim = if self.has_range() { UNCLAIMED } else { 0.0 };
            return ACCEPTED_MAX - claim - lacks;
        }
        let found = self.pairing.found.iter().flatten().count();
        let words = self.query.tokens().iter();
        let words = words.filter(|token| token.is_word()).count();
        let share = weigh(found, 1.0, f64::MAX) / weigh(words.max(1), 1.0, f64::MAX);
        let number = if self.has_numbers() { 0.3 } else { 0.0 };
        (share.mul_add(0.4, number) - lacks).clamp(0.0, REFUSED_MAX)
    }

    /// Sums the costs of all differences. Stored words that were not typed only order the ranking:
    /// they cost less than the lead that a decision needs.
    fn shortfall(&self) -> f64 {
        let postcode = match self.postcode {
            PostcodeFit::Same => 0.0,
            PostcodeFit::District => 0.02,
            PostcodeFit::Absent => 0.03,
            PostcodeFit::Near => 0.05,
            PostcodeFit::Other => 0.2,
        };
        let street = match self.street_fit {
            StreetFit::OtherType => 0.05,
            StreetFit::WithoutType => 0.01,
            StreetFit::Missing | StreetFit::Whole => 0.0,
        };
        weigh(self.pairing.errors, 0.02, 0.06)
            + weigh(self.unknown_behind, 0.03, 0.06)
            + weigh(self.unknown_before, 0.015, 0.045)
            + street
            + postcode
            + weigh(self.untyped_words(), 0.0005, 0.009)
    }
}

fn weigh(count: usize, each: f64, most: f64) -> f64 {
    (f64::from(u32::try_from(count).unwrap_or(u32::MAX)) * each).min(most)
}
