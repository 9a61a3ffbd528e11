//! What somebody typed, read once.

use crate::normal::normalise;
use crate::parse::{Class, Parsed, Token};
use crate::place::{Place, stored_place, take_place};
use crate::probe::{self, Probe};
use crate::text::lexemes;

/// The longest text that is read, in characters (S-3).
const TEXT_MAX_CHARACTERS: usize = 200;

/// The most numbers that an address can sensibly have.
const UNITS_MAX: usize = 5;

/// An address as somebody typed it, parsed once. Parsing takes time in proportion to the text.
#[derive(Debug, Clone)]
pub struct Query {
    pub(crate) parsed: Parsed,
    pub(crate) place: Place,
    /// The whole text in its normal form.
    pub(crate) normal: String,
}

impl Query {
    /// Reads a text. What is longer than 200 characters is cut off and matches nothing, because a
    /// number may stand in what was cut.
    pub fn parse(text: &str) -> Self {
        let end = text.char_indices().nth(TEXT_MAX_CHARACTERS);
        let kept = end.map_or(text, |(end, _)| &text[..end]);
        let mut lexemes = lexemes(kept);
        let place = match stored_place(kept) {
            // A postcode alone may be parted anyhow: `LS1-4AP`.
            place @ Place::Full { .. } => {
                lexemes.clear();
                place
            }
            Place::Unnamed | Place::Outward { .. } => take_place(&mut lexemes),
        };
        let mut parsed = Parsed::read(&lexemes);
        parsed.is_unclear |= end.is_some() || parsed.units.len() > UNITS_MAX;
        parsed.is_unclear |= parsed.is_doubled || parsed.is_beside_number();
        Self {
            parsed,
            place,
            normal: normalise(kept),
        }
    }

    /// Whether a building or flat number is named, or something that may be one (S-7).
    pub fn names_number(&self) -> bool {
        let is_odd = |token: &Token| token.class == Class::Odd;
        self.parsed.is_unclear
            || !self.parsed.units.is_empty()
            || self.parsed.tokens.iter().any(is_odd)
    }

    /// The compact form (`LS14AP`) when the text is a full postcode and nothing else. A zero typed
    /// for an O and the like are repaired by their place.
    pub fn postcode_alone(&self) -> Option<String> {
        let is_alone = self.parsed.tokens.is_empty() && !self.parsed.is_unclear;
        self.place.full().filter(|_| is_alone)
    }

    /// What to ask the store for, best first; at most twelve.
    pub fn probes(&self) -> Vec<Probe> {
        probe::probes(self)
    }

    pub(crate) fn tokens(&self) -> &[Token] {
        &self.parsed.tokens
    }
}
