//! Finds the postcode, or a part of one, among the words of an address.

use crate::distance::typing_errors;
use crate::normal::{is_outward, is_postcode};
use crate::text::Lexeme;

/// What is said of the postcode.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Place {
    /// Nothing.
    #[default]
    Unnamed,
    /// The outward part alone (`LS1`), perhaps with a beginning of the inward part.
    Outward {
        outward: String,
        inward_start: String,
    },
    /// A full postcode, or what can only be meant as one.
    Full { outward: String, inward: String },
}

/// How the postcode of a stored address relates to what was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlaceFit {
    /// The full postcode is the same.
    Same,
    /// The same district, and one typing error in the inward part (S-7).
    Near,
    /// The district that was typed.
    District,
    /// No postcode was typed.
    Unnamed,
    /// Another postcode.
    Other,
}

impl Place {
    /// The compact full postcode.
    pub(crate) fn full(&self) -> Option<String> {
        match self {
            Self::Full { outward, inward } => Some(format!("{outward}{inward}")),
            Self::Unnamed | Self::Outward { .. } => None,
        }
    }

    pub(crate) fn outward(&self) -> Option<&str> {
        match self {
            Self::Full { outward, .. } | Self::Outward { outward, .. } => Some(outward),
            Self::Unnamed => None,
        }
    }

    /// How a stored postcode fits what was typed.
    pub(crate) fn fit(&self, stored: &Self) -> PlaceFit {
        let (stored_outward, stored_inward) = match stored {
            Self::Full { outward, inward } => (outward, inward),
            Self::Unnamed | Self::Outward { .. } => {
                return match self {
                    Self::Unnamed => PlaceFit::Unnamed,
                    Self::Outward { .. } | Self::Full { .. } => PlaceFit::Other,
                };
            }
        };
        match self {
            Self::Unnamed => PlaceFit::Unnamed,
            Self::Outward {
                outward,
                inward_start,
            } if outward == stored_outward && stored_inward.starts_with(inward_start.as_str()) => {
                PlaceFit::District
            }
            Self::Full { outward, inward } if outward == stored_outward => {
                match typing_errors(inward, stored_inward, 1) {
                    Some(0) => PlaceFit::Same,
                    Some(_) => PlaceFit::Near,
                    None => PlaceFit::Other,
                }
            }
            Self::Outward { .. } | Self::Full { .. } => PlaceFit::Other,
        }
    }
}

/// Takes the postcode out of the text: the last full one wherever it stands, else the outward part
/// at the end.
pub(crate) fn take_place(lexemes: &mut Vec<Lexeme>) -> Place {
    for reading in [strict, repaired, meant] {
        for start in (0..lexemes.len()).rev() {
            for length in 1..=3 {
                let Some(compact) = joined(lexemes, start, length) else {
                    break;
                };
                // Three pieces are a postcode only with its outward part apart: `LS 1 4AP`.
                if let Some(found) = reading(&compact, length) {
                    lexemes.splice(start..start + length, [Lexeme::Break]);
                    return full(&found);
                }
            }
        }
    }
    take_outward(lexemes)
}

/// The place of a stored postcode.
pub(crate) fn stored_place(postcode: &str) -> Place {
    crate::normal::postcode(postcode).map_or(Place::Unnamed, |compact| full(&compact))
}

fn full(compact: &str) -> Place {
    let (outward, inward) = compact.split_at(compact.len() - INWARD_LETTERS);
    Place::Full {
        outward: outward.to_owned(),
        inward: inward.to_owned(),
    }
}

const INWARD_LETTERS: usize = 3;

fn joined(lexemes: &[Lexeme], start: usize, length: usize) -> Option<String> {
    let mut compact = String::new();
    for lexeme in lexemes.get(start..start + length)? {
        match lexeme {
            Lexeme::Word(word) if word.is_ascii() => compact.push_str(word),
            Lexeme::Word(_) | Lexeme::Hyphen | Lexeme::Slash | Lexeme::Break => return None,
        }
    }
    Some(compact)
}

fn strict(compact: &str, length: usize) -> Option<String> {
    let is_whole = length < 3 || compact.starts_with(|c: char| c.is_ascii_alphabetic());
    (is_whole && is_postcode(compact)).then(|| compact.to_owned())
}

/// Repairs `O` for 0 and `I` or `L` for 1 by their place, and the other way round (S-7).
fn repaired(compact: &str, length: usize) -> Option<String> {
    if !(5..=7).contains(&compact.len()) || !compact.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (outward, inward) = compact.split_at(compact.len() - INWARD_LETTERS);
    let inward = format!("{}{}", as_digit(&inward[..1]), &inward[1..]);
    for letters in [2, 1] {
        if outward.len() <= letters {
            continue;
        }
        let (area, district) = outward.split_at(letters);
        let area = as_letters(area);
        let mut districts = vec![as_digit(district)];
        if district.len() == 2 {
            districts.push(format!("{}{}", as_digit(&district[..1]), &district[1..]));
        }
        for district in districts {
            let whole = format!("{area}{district}{inward}");
            if let Some(found) = strict(&whole, length) {
                return Some(found);
            }
        }
    }
    None
}

/// A postcode with a letter that no inward part has: it names a district, and no property.
fn meant(compact: &str, length: usize) -> Option<String> {
    let split = compact.len().checked_sub(INWARD_LETTERS)?;
    let (outward, inward) = compact.split_at(split);
    let mut characters = inward.chars();
    let is_inward = characters.next().is_some_and(|c| c.is_ascii_digit())
        && characters.all(|c| c.is_ascii_uppercase());
    (length < 3 && is_inward && is_outward(outward)).then(|| compact.to_owned())
}

fn as_digit(text: &str) -> String {
    text.replace('O', "0").replace(['I', 'L'], "1")
}

fn as_letters(text: &str) -> String {
    text.replace('0', "O").replace('1', "I")
}

/// `… LS1`, `… LS1 4`, `… LS1 4A` at the end of the text.
fn take_outward(lexemes: &mut Vec<Lexeme>) -> Place {
    while lexemes.last().is_some_and(|last| *last == Lexeme::Break) {
        lexemes.pop();
    }
    for length in [2, 1] {
        let Some(start) = lexemes.len().checked_sub(length) else {
            continue;
        };
        let words: Option<Vec<&str>> = lexemes[start..]
            .iter()
            .map(|lexeme| match lexeme {
                Lexeme::Word(word) => Some(word.as_str()),
                Lexeme::Hyphen | Lexeme::Slash | Lexeme::Break => None,
            })
            .collect();
        let Some(words) = words else { continue };
        let (outward, rest) = (words[0], words.get(1).copied().unwrap_or_default());
        let follows_marker = start.checked_sub(1).is_some_and(|before| {
            matches!(&lexemes[before], Lexeme::Word(word) if crate::words::marker(word).is_some())
        });
        let is_start = rest.is_empty()
            || rest.len() <= 2
                && rest.starts_with(|c: char| c.is_ascii_digit())
                && rest[1..].chars().all(|c| c.is_ascii_uppercase());
        // Without anything before it this may be anything, and after `FLAT` it is the flat.
        if is_outward(outward) && is_start && !follows_marker {
            let place = Place::Outward {
                outward: outward.to_owned(),
                inward_start: rest.to_owned(),
            };
            lexemes.truncate(start);
            return place;
        }
    }
    Place::Unnamed
}
