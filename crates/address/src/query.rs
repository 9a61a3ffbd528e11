//! An address as somebody typed it.

use crate::normal::normalise;
use crate::parse::{Parsed, Token};
use crate::postcode::{Postcode, full_postcode, take_postcode};
use crate::text::lexemes;

/// The longest text that is read, in characters (S-3).
const TEXT_MAX_CHARACTERS: usize = 200;

/// A text with more numbers than this is no address.
const UNITS_MAX: usize = 5;

/// An address as somebody typed it, parsed once. Parsing takes time in proportion to the text.
#[derive(Debug, Clone)]
pub struct Query {
    pub(crate) parsed: Parsed,
    pub(crate) postcode: Postcode,
    /// The whole text in its normal form.
    pub(crate) normal: String,
}

impl Query {
    /// Parses a text. A text of more than 200 characters matches nothing, because the part that is
    /// cut off may hold a number.
    pub fn parse(text: &str) -> Self {
        let end = text.char_indices().nth(TEXT_MAX_CHARACTERS);
        let kept = end.map_or(text, |(end, _)| &text[..end]);
        let mut lexemes = lexemes(kept);
        let postcode = match full_postcode(kept) {
            // A postcode alone may have any separator: `LS1-4AP`.
            postcode @ Postcode::Full { .. } => {
                lexemes.clear();
                postcode
            }
            Postcode::Absent | Postcode::District { .. } => take_postcode(&mut lexemes),
        };
        let mut parsed = Parsed::read(&lexemes);
        parsed.is_unclear |= end.is_some() || parsed.units.len() > UNITS_MAX;
        parsed.is_unclear |= parsed.is_doubled || parsed.is_near_number();
        Self {
            parsed,
            postcode,
            normal: normalise(kept),
        }
    }

    /// The compact form (`LS14AP`) when the text is a full postcode and nothing else. Letters typed
    /// for digits, and digits for letters, are repaired.
    pub fn postcode_alone(&self) -> Option<String> {
        let is_alone = self.parsed.tokens.is_empty() && !self.parsed.is_unclear;
        self.postcode.full().filter(|_| is_alone)
    }

    pub(crate) fn tokens(&self) -> &[Token] {
        &self.parsed.tokens
    }
}
