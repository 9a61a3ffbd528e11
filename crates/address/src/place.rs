//! Finds the postcode, or a part of one, among the words of an address.

use crate::distance::typing_errors;
use crate::normal::{is_outward, is_postcode};
use crate::text::Lexeme;
use crate::words::is_widespread;

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

    /// Whether the postcode is one of Scotland, or of a district on its border.
    pub(crate) fn is_scottish(&self) -> bool {
        let outward = self.outward().unwrap_or_default();
        let digit = outward.find(|c: char| c.is_ascii_digit());
        SCOTTISH_AREAS.contains(&&outward[..digit.unwrap_or_default()])
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

const SCOTTISH_AREAS: [&str; 16] = [
    "AB", "DD", "DG", "EH", "FK", "G", "HS", "IV", "KA", "KW", "KY", "ML", "PA", "PH", "TD", "ZE",
];

/// Takes the postcode out of the text: the last full one wherever it stands, else the outward part
/// at the end.
pub(crate) fn take_place(lexemes: &mut Vec<Lexeme>) -> Place {
    let ends: Vec<usize> = (0..lexemes.len())
        .filter(|at| may_end_postcode(&lexemes[*at]))
        .collect();
    for reading in [strict, repaired, meant] {
        for end in ends.iter().rev() {
            for length in 1..=3.min(end + 1) {
                let start = end + 1 - length;
                let Some(pieces) = pieces(lexemes, start, length) else {
                    break;
                };
                let found = reading(&pieces).filter(|(_, care)| {
                    // What is repaired must not have been a flat and the next word.
                    *care == Care::None
                        || ends_part(lexemes, start + length) && !follows_marker(lexemes, start)
                });
                if let Some((compact, _)) = found {
                    lexemes.splice(start..start + length, [Lexeme::Break]);
                    return full(&compact);
                }
            }
        }
    }
    take_glued(lexemes).unwrap_or_else(|| take_outward(lexemes))
}

/// `LEEDSLS1 4AP`: the space before the postcode is missing.
fn take_glued(lexemes: &mut Vec<Lexeme>) -> Option<Place> {
    let ends = (0..lexemes.len()).filter(|at| may_end_postcode(&lexemes[*at]));
    for end in ends.collect::<Vec<_>>().into_iter().rev() {
        for length in 1..=2.min(end + 1) {
            let start = end + 1 - length;
            let Some((outward, inward)) =
                pieces(lexemes, start, length).and_then(|pieces| parted(&pieces))
            else {
                continue;
            };
            let Some((word, outward)) = split_outward(outward) else {
                continue;
            };
            let compact = format!("{outward}{inward}");
            if is_postcode(&compact) {
                let word = Lexeme::Word(word.to_owned());
                lexemes.splice(start..start + length, [word, Lexeme::Break]);
                return Some(full(&compact));
            }
        }
    }
    None
}

/// A town and the outward part behind it. `LONDONN1` could be N1 and NN1: a town that is known
/// decides, else the longer area.
fn split_outward(glued: &str) -> Option<(&str, &str)> {
    let splits = (TOWN_LETTERS_MIN..glued.len()).map(|at| glued.split_at(at));
    let mut splits: Vec<(&str, &str)> = splits
        .filter(|(word, outward)| is_letters(word) && is_outward(outward))
        .filter(|(_, outward)| {
            let area = outward.trim_end_matches(|c: char| c.is_ascii_digit());
            let area = area.split(|c: char| c.is_ascii_digit()).next();
            area.is_some_and(|area| AREAS.contains(&area))
        })
        .collect();
    let known = splits.iter().position(|(word, _)| is_widespread(word));
    (!splits.is_empty()).then(|| splits.swap_remove(known.unwrap_or(0)))
}

const TOWN_LETTERS_MIN: usize = 3;

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

/// Whether a word ends like an inward part, so that most words are passed over quickly.
fn may_end_postcode(lexeme: &Lexeme) -> bool {
    match lexeme {
        Lexeme::Word(word) => match word.as_bytes() {
            [.., sector, first, second] => {
                let is_sector = sector.is_ascii_digit() || b"OIL".contains(sector);
                is_sector && first.is_ascii_uppercase() && second.is_ascii_uppercase()
            }
            // `LS1 4 AP` has its inward part apart.
            [first, second] => first.is_ascii_uppercase() && second.is_ascii_uppercase(),
            _ => false,
        },
        Lexeme::Glued(_) | Lexeme::Hyphen | Lexeme::Slash | Lexeme::Break => false,
    }
}

/// Whether a reading must stand at the end of its part of the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Care {
    None,
    AtEnd,
}

fn pieces(lexemes: &[Lexeme], start: usize, length: usize) -> Option<Vec<&str>> {
    let pieces = lexemes.get(start..start + length)?.iter();
    let words = pieces.map(|lexeme| match lexeme {
        Lexeme::Word(word) if word.is_ascii() => Some(word.as_str()),
        Lexeme::Word(_) | Lexeme::Glued(_) | Lexeme::Hyphen | Lexeme::Slash | Lexeme::Break => None,
    });
    words.collect()
}

fn ends_part(lexemes: &[Lexeme], at: usize) -> bool {
    lexemes.get(at).is_none_or(|next| *next == Lexeme::Break)
}

fn follows_marker(lexemes: &[Lexeme], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| lexemes.get(before));
    matches!(before, Some(Lexeme::Word(word)) if crate::words::marker(word).is_some())
}

/// A postcode in one piece, in its two parts, or with its area's letters apart: `LS 1 4AP`.
fn strict(pieces: &[&str]) -> Option<(String, Care)> {
    let is_parted_well = match pieces {
        [_] => true,
        [area, _, inward] => is_letters(area) && inward.len() == INWARD_LETTERS,
        [first, inward] => inward.len() == INWARD_LETTERS || is_letters(first),
        _ => false,
    };
    let compact = pieces.concat();
    (is_parted_well && is_postcode(&compact)).then_some((compact, Care::None))
}

fn is_letters(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Repairs `O` for 0 and `I` or `L` for 1 by their place, and the other way round (S-7).
fn repaired(pieces: &[&str]) -> Option<(String, Care)> {
    let (outward, inward) = parted(pieces)?;
    // `WOKING` is no W0K 1NG; only two pieces may be without any digit.
    let has_digit = |piece: &&str| piece.contains(|c: char| c.is_ascii_digit());
    if pieces.len() < 2 && !pieces.iter().any(has_digit) {
        return None;
    }
    let is_number = outward.bytes().all(|byte| byte.is_ascii_digit());
    if is_number || !(2..=4).contains(&outward.len()) {
        return None;
    }
    let sector = inward[..1].replace('O', "0").replace(['I', 'L'], "1");
    let inward = format!("{sector}{}", &inward[1..]);
    for letters in [2, 1] {
        let Some((area, district)) = outward.split_at_checked(letters) else {
            continue;
        };
        let area = area.replace('0', "O").replace('1', "I");
        let mut districts = vec![as_digits(district)];
        if let Some((first, last)) = district.split_at_checked(1) {
            districts.push(format!("{}{last}", as_digits(first)));
        }
        for district in districts {
            let compact = format!("{area}{district}{inward}");
            if AREAS.contains(&area.as_str()) && is_postcode(&compact) {
                return Some((compact, Care::AtEnd));
            }
        }
    }
    None
}

/// A postcode with a letter that no inward part has: it names a district, and no property.
fn meant(pieces: &[&str]) -> Option<(String, Care)> {
    let (outward, inward) = parted(pieces)?;
    let has_digit = inward.starts_with(|first: char| first.is_ascii_digit());
    let is_meant = has_digit && is_letters(&inward[1..]) && is_outward(outward);
    is_meant.then(|| (format!("{outward}{inward}"), Care::AtEnd))
}

/// The outward and the inward part, of one piece or of two.
fn parted<'a>(pieces: &[&'a str]) -> Option<(&'a str, &'a str)> {
    match pieces {
        [whole] => whole.split_at_checked(whole.len().checked_sub(INWARD_LETTERS)?),
        [outward, inward] if inward.len() == INWARD_LETTERS => Some((outward, inward)),
        _ => None,
    }
}

fn as_digits(text: &str) -> String {
    text.replace('O', "0").replace(['I', 'L'], "1")
}

/// The postcode areas there are: a repair must not make up another one.
const AREAS: [&str; 124] = [
    "AB", "AL", "B", "BA", "BB", "BD", "BH", "BL", "BN", "BR", "BS", "BT", "CA", "CB", "CF", "CH",
    "CM", "CO", "CR", "CT", "CV", "CW", "DA", "DD", "DE", "DG", "DH", "DL", "DN", "DT", "DY", "E",
    "EC", "EH", "EN", "EX", "FK", "FY", "G", "GL", "GU", "GY", "HA", "HD", "HG", "HP", "HR", "HS",
    "HU", "HX", "IG", "IM", "IP", "IV", "JE", "KA", "KT", "KW", "KY", "L", "LA", "LD", "LE", "LL",
    "LN", "LS", "LU", "M", "ME", "MK", "ML", "N", "NE", "NG", "NN", "NP", "NR", "NW", "OL", "OX",
    "PA", "PE", "PH", "PL", "PO", "PR", "RG", "RH", "RM", "S", "SA", "SE", "SG", "SK", "SL", "SM",
    "SN", "SO", "SP", "SR", "SS", "ST", "SW", "SY", "TA", "TD", "TF", "TN", "TQ", "TR", "TS", "TW",
    "UB", "W", "WA", "WC", "WD", "WF", "WN", "WR", "WS", "WV", "YO", "ZE",
];

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
                Lexeme::Glued(_) | Lexeme::Hyphen | Lexeme::Slash | Lexeme::Break => None,
            })
            .collect();
        let Some(words) = words else { continue };
        let (mut outward, mut rest) = (words[0], words.get(1).copied().unwrap_or_default());
        if rest.is_empty() && !is_outward(outward) {
            // `SW1A2A`, with a digit and a letter of the inward part.
            let start = outward.len().saturating_sub(2);
            (outward, rest) = outward.split_at_checked(start).unwrap_or((outward, rest));
        }
        let is_start = rest.is_empty()
            || rest.len() <= 2
                && rest.starts_with(|c: char| c.is_ascii_digit())
                && rest[1..].chars().all(|c| c.is_ascii_uppercase());
        // After `FLAT` it is the flat.
        if is_outward(outward) && is_start && !follows_marker(lexemes, start) {
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
