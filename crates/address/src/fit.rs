//! How well one stored address fits a query (S-7). What contradicts it is never outweighed.

use crate::evidence::{County, Evidence, Subject};
use crate::known::Stored;
use crate::number::Unit;
use crate::parse::{Class, Token};
use crate::place::PlaceFit;
use crate::query::Query;
use crate::street::StreetFit;
use crate::wording::Risk;
use crate::words::{Marker, is_common_in_names, is_everywhere, is_in_several_counties, is_trade};

/// How well a property fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fit {
    /// 0.0 to 1.0.
    pub(crate) confidence: f64,
    pub(crate) place: PlaceFit,
    /// It is a flat in the building that was named, and fits in all else.
    pub(crate) is_part: bool,
    /// It is in the postcode that was named, with the same numbers and a street of that name,
    /// whether or not it fits in all else.
    pub(crate) is_rival: bool,
    /// The whole address was typed.
    pub(crate) is_all_typed: bool,
}

/// Compares a query with a stored address.
pub(crate) fn assess(query: &Query, stored: &Stored) -> Fit {
    let evidence = Evidence::collect(query, stored);
    Fit {
        confidence: evidence.confidence(),
        place: evidence.place,
        is_rival: evidence.is_rival(),
        is_part: evidence.subject == Subject::Building && evidence.is_enough(),
        is_all_typed: evidence.is_all_typed(),
    }
}

impl Evidence<'_> {
    fn is_enough(&self) -> bool {
        if self.is_contradicted {
            return false;
        }
        match self.subject {
            Subject::Nothing => false,
            Subject::Numbers | Subject::Building => self.is_enough_with_number(),
            Subject::Name => self.is_enough_with_name(),
        }
    }

    fn is_rival(&self) -> bool {
        let has_numbers = matches!(self.subject, Subject::Numbers | Subject::Building);
        let mut street = (0..self.is_street.len()).filter(|at| self.is_street[*at]);
        let is_named = street.any(|at| self.pairing.is_taken(at));
        self.place == PlaceFit::Same && has_numbers && is_named
    }

    fn is_all_typed(&self) -> bool {
        let tokens = self.stored.tokens();
        let is_open = |at: &usize| tokens[*at].is_word() && !self.pairing.is_taken(*at);
        self.place == PlaceFit::Same && !(0..tokens.len()).any(|at| is_open(&at))
    }

    fn is_enough_with_number(&self) -> bool {
        let is_whole_street = self.street == StreetFit::Whole && !self.has_unknown_kind;
        let is_exact = is_whole_street && self.unknown == 0 && !self.lacks_number;
        let (errors, risk) = (self.pairing.errors, self.pairing.risk);
        match self.place {
            PlaceFit::Same if self.street == StreetFit::Missing => self.is_number_and_postcode(),
            PlaceFit::Same => {
                let is_whole = self.street == StreetFit::Whole;
                let is_other = self.street == StreetFit::OtherKind;
                // What is unknown behind a name without its kind may be another kind.
                let is_clear = is_whole || self.unknown == 0 && !self.has_unknown_kind;
                self.unknown <= UNKNOWN_MAX && !is_other && is_clear
            }
            // S-7 asks for a near-certain match where the postcode differs.
            PlaceFit::Near => {
                let is_placed = self.places_found > 0 || self.county == County::Found;
                let is_certain = is_placed && errors == 0 && self.unknown_before == 0;
                is_exact && is_certain && !self.lacks_article()
            }
            PlaceFit::District => is_exact && errors <= ERRORS_MAX && risk < Risk::Great,
            PlaceFit::Unnamed => {
                is_exact && self.is_placed() && errors <= ERRORS_MAX && risk == Risk::None
            }
            PlaceFit::Other => false,
        }
    }

    /// `2 Green` may be Green Lane as well as The Green.
    fn lacks_article(&self) -> bool {
        let tokens = self.stored.tokens();
        let mut street = (0..tokens.len()).filter(|at| self.is_street[*at]);
        let is_kind = |at: usize| tokens[at].class == Class::StreetType;
        let is_only_kind = street.next().is_some_and(is_kind) && street.next().is_none();
        let is_article = |token: &Token| token.written == "THE";
        is_only_kind && !self.query.tokens().iter().any(is_article)
    }

    /// Without any postcode, a county is enough only for a street whose name few have.
    fn is_placed(&self) -> bool {
        let tokens = self.stored.tokens();
        let is_county = |at: &usize| tokens[*at].class == Class::County;
        let has_other = (0..tokens.len()).any(|at| is_county(&at) && !self.pairing.is_taken(at));
        if self.county == County::Unknown {
            let town = tokens.last().map_or(0, |last| last.part);
            let is_town = |at: &usize| {
                let token = &tokens[*at];
                let is_name = token.part == town && token.class == Class::Name;
                is_name && !is_in_several_counties(token.text())
            };
            if has_other || !(0..tokens.len()).any(|at| is_town(&at) && self.pairing.is_taken(at)) {
                return false;
            }
        }
        let mut street = (0..tokens.len()).filter(|at| self.is_street[*at]);
        let is_everywhere = street
            .all(|at| tokens[at].class == Class::StreetType || is_everywhere(tokens[at].text()));
        self.is_town_found() || self.county == County::Found && !is_everywhere
    }

    /// Behind a building's name stands its street first: the town has to be found behind that.
    fn is_town_found(&self) -> bool {
        let tokens = self.stored.tokens();
        let Some(part) = self.name_part else {
            return self.places_found > 0;
        };
        let says = |at: &usize| tokens[*at].part > part + 1 && tokens[*at].class == Class::Name;
        let mut towns = (0..tokens.len()).filter(says).peekable();
        let has_street = towns.peek().is_some();
        self.places_found > 0 && (!has_street || towns.any(|at| self.pairing.is_taken(at)))
    }

    /// The street was left out altogether: nothing that was typed may name another one.
    fn is_number_and_postcode(&self) -> bool {
        let names_street =
            |token: &Token| token.class == Class::StreetType || token.written == "THE";
        let tokens = self.query.tokens();
        let is_left = |at: &usize| tokens[*at].is_word() && self.pairing.found[*at].is_none();
        let is_county = |at: &usize| tokens[*at].class == Class::County;
        let is_all_found = (0..tokens.len()).filter(is_left).all(|at| is_county(&at));
        // Flat 2 of another house may be in the postcode as well.
        let is_house = |unit: &Unit| unit.marker == Marker::Bare;
        let is_one = self.query.parsed.units.len() == self.stored.units().len()
            && (self.query.parsed.units.iter().all(is_house) || self.is_name_found());
        is_one && is_all_found && !self.query.tokens().iter().any(names_street)
    }

    /// Whether what was typed names the house before the stored number.
    fn is_name_found(&self) -> bool {
        let says = |at: &usize| !is_common_in_names(self.stored.tokens()[*at].text());
        let name = self.stored.name();
        name.iter().any(|at| self.pairing.is_taken(*at) && says(at))
    }

    fn is_enough_with_name(&self) -> bool {
        let tokens = self.stored.tokens();
        let is_trade = |at: &usize| is_trade(tokens[*at].text());
        let is_any_trade = self.stored.name().iter().all(is_trade);
        let unknown = self.unknown + self.unknown_before;
        let found = self.places_found;
        if self.place != PlaceFit::Same && self.is_street_alone() {
            return false;
        }
        match self.place {
            PlaceFit::Same => unknown == 0 && found >= usize::from(is_any_trade),
            PlaceFit::Near => unknown == 0 && found >= 2 && self.pairing.errors == 0,
            PlaceFit::District => unknown == 0 && found > 0,
            PlaceFit::Unnamed => {
                let is_elsewhere = self.county == County::Unknown;
                let is_placed = found >= 2 && !is_elsewhere && self.is_town_found();
                unknown == 0 && is_placed && self.pairing.risk == Risk::None
            }
            PlaceFit::Other => false,
        }
    }

    /// Whether the stored address names a street and no house: anything may stand there.
    fn is_street_alone(&self) -> bool {
        let tokens = self.stored.tokens();
        let is_kind = |at: &usize| tokens[*at].class == Class::StreetType;
        let name = self.stored.name();
        let behind = name.last().map_or(0, |last| last + 1);
        name.iter().any(is_kind) && !(behind..tokens.len()).any(|at| is_kind(&at))
    }

    /// What was typed decides; stored words that were not typed only order the list, by less than
    /// the lead that a decision needs.
    fn confidence(&self) -> f64 {
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
        let street = match self.street {
            StreetFit::OtherKind => 0.05,
            StreetFit::WithoutKind => 0.01,
            StreetFit::Missing | StreetFit::Whole => 0.0,
        };
        let lacks = part(self.pairing.errors, 0.02, 0.06)
            + part(self.unknown, 0.03, 0.06)
            + part(self.unknown_before, 0.015, 0.045)
            + street
            + place
            + part(untyped.count(), 0.0005, 0.009);
        if self.subject != Subject::Building && self.is_enough() {
            return ACCEPTED_MOST - lacks;
        }
        let found = self.pairing.found.iter().flatten().count();
        let words = self.query.tokens().iter();
        let words = words.filter(|token| token.is_word()).count();
        let share = part(found, 1.0, f64::MAX) / part(words.max(1), 1.0, f64::MAX);
        let number = match self.subject {
            Subject::Numbers | Subject::Building => 0.3,
            Subject::Name | Subject::Nothing => 0.0,
        };
        (share.mul_add(0.4, number) - lacks).clamp(0.0, REFUSED_MAX)
    }
}

/// Words behind the number that may be unknown when number, street and full postcode are the same.
const UNKNOWN_MAX: usize = 2;

/// Typing errors without a full postcode.
const ERRORS_MAX: usize = 2;

/// The confidence of a match that is not the whole address, word for word.
const ACCEPTED_MOST: f64 = 0.98;

/// The confidence of a property that is no match is at most this.
const REFUSED_MAX: f64 = 0.7;
