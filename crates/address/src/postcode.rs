//! Finds a full or partial postcode among the words of an address.

use crate::distance::typing_errors;
use crate::normal::{self, is_outward, is_postcode};
use crate::text::{Lexeme, word_at};
use crate::words::{is_widespread, marker};

const INWARD_LETTERS: usize = 3;

/// The shortest town that is recognised in front of a glued postcode.
const TOWN_LETTERS_MIN: usize = 3;

/// How much of its postcode an address gives.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Postcode {
    #[default]
    Absent,
    /// The outward part (`LS1`), perhaps with the first characters of the inward part.
    District {
        outward: String,
        inward_start: String,
    },
    Full {
        outward: String,
        inward: String,
    },
}

/// How the postcode of a stored address fits the typed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PostcodeFit {
    /// The same full postcode.
    Same,
    /// The same district, and one typing error in the inward part (S-7).
    Near,
    /// Only the district was typed, and it is the same.
    District,
    /// No postcode was typed.
    Absent,
    /// Another postcode.
    Other,
}

impl Postcode {
    /// The compact full postcode.
    pub(crate) fn full(&self) -> Option<String> {
        match self {
            Self::Full { outward, inward } => Some(format!("{outward}{inward}")),
            Self::Absent | Self::District { .. } => None,
        }
    }

    pub(crate) fn outward(&self) -> Option<&str> {
        match self {
            Self::Full { outward, .. } | Self::District { outward, .. } => Some(outward),
            Self::Absent => None,
        }
    }

    /// Whether the postcode's area is in Scotland or on its border.
    pub(crate) fn is_scottish(&self) -> bool {
        let outward = self.outward().unwrap_or_default();
        let digit = outward.find(|c: char| c.is_ascii_digit());
        SCOTTISH_AREAS.contains(&&outward[..digit.unwrap_or_default()])
    }

    /// How a stored postcode fits this typed one.
    pub(crate) fn fit(&self, stored: &Self) -> PostcodeFit {
        let Self::Full { outward, inward } = stored else {
            return match self {
                Self::Absent => PostcodeFit::Absent,
                Self::District { .. } | Self::Full { .. } => PostcodeFit::Other,
            };
        };
        match self {
            Self::Absent => PostcodeFit::Absent,
            _ if self.outward() != Some(outward) => PostcodeFit::Other,
            Self::District { inward_start, .. } if inward.starts_with(inward_start.as_str()) => {
                PostcodeFit::District
            }
            Self::District { .. } => PostcodeFit::Other,
            Self::Full { inward: typed, .. } => match typing_errors(typed, inward, 1) {
                Some(0) => PostcodeFit::Same,
                Some(_) => PostcodeFit::Near,
                None => PostcodeFit::Other,
            },
        }
    }
}

/// Reads a text that is one full postcode.
pub(crate) fn full_postcode(text: &str) -> Postcode {
    normal::postcode(text).map_or(Postcode::Absent, |compact| split_compact(&compact))
}

fn split_compact(compact: &str) -> Postcode {
    let (outward, inward) = compact.split_at(compact.len() - INWARD_LETTERS);
    Postcode::Full {
        outward: outward.to_owned(),
        inward: inward.to_owned(),
    }
}

/// Reads a compact postcode in some neighbouring words.
type ReadPostcode = fn(&[&str]) -> Option<String>;

/// Removes the postcode from an address: the last full one in any position, else an outward part at
/// the end.
pub(crate) fn take_postcode(lexemes: &mut Vec<Lexeme>) -> Postcode {
    let readings: [(ReadPostcode, bool); 3] = [
        (read_strictly, false),
        (read_repaired, true),
        (read_misspelt, true),
    ];
    let ends = possible_ends(lexemes);
    for (read, is_repair) in readings {
        for end in &ends {
            for length in 1..=3.min(end + 1) {
                let start = end + 1 - length;
                let Some(pieces) = pieces(lexemes, start, length) else {
                    break;
                };
                // A repair must not take a flat's number and the next word.
                let is_allowed = !is_repair
                    || ends_part(lexemes, start + length) && !follows_marker(lexemes, start);
                if let Some(compact) = read(&pieces).filter(|_| is_allowed) {
                    lexemes.splice(start..start + length, [Lexeme::Break]);
                    return split_compact(&compact);
                }
            }
        }
    }
    take_glued(lexemes).unwrap_or_else(|| take_district(lexemes))
}

/// The indices of words that end like an inward part, last first. Most words do not, which saves
/// time.
fn possible_ends(lexemes: &[Lexeme]) -> Vec<usize> {
    let may_end_postcode = |at: &usize| match word_at(lexemes, *at).as_bytes() {
        [.., sector, first, second] => {
            let is_sector = sector.is_ascii_digit() || b"OIL".contains(sector);
            is_sector && first.is_ascii_uppercase() && second.is_ascii_uppercase()
        }
        // The inward part of `LS1 4 AP` is two words.
        [first, second] => first.is_ascii_uppercase() && second.is_ascii_uppercase(),
        _ => false,
    };
    let mut ends: Vec<usize> = (0..lexemes.len()).filter(may_end_postcode).collect();
    ends.reverse();
    ends
}

/// Some neighbouring lexemes, if all are ASCII words.
fn pieces(lexemes: &[Lexeme], start: usize, length: usize) -> Option<Vec<&str>> {
    let words = (start..start + length).map(|at| word_at(lexemes, at));
    words
        .map(|word| Some(word).filter(|word| !word.is_empty() && word.is_ascii()))
        .collect()
}

fn ends_part(lexemes: &[Lexeme], at: usize) -> bool {
    lexemes.get(at).is_none_or(|next| *next == Lexeme::Break)
}

fn follows_marker(lexemes: &[Lexeme], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| word_at(lexemes, before));
    before.is_some_and(|before| marker(before).is_some())
}

/// Reads a postcode in one piece, in its two parts, or with its area apart: `LS 1 4AP`.
fn read_strictly(pieces: &[&str]) -> Option<String> {
    let is_well_split = match pieces {
        [_] => true,
        [area, _, inward] => is_letters(area) && inward.len() == INWARD_LETTERS,
        [first, inward] => inward.len() == INWARD_LETTERS || is_letters(first),
        _ => false,
    };
    Some(pieces.concat()).filter(|compact| is_well_split && is_postcode(compact))
}

fn is_letters(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Repairs `O` for 0 and `I` or `L` for 1 where a digit must be, and digits where a letter must be
/// (S-7).
fn read_repaired(pieces: &[&str]) -> Option<String> {
    let (outward, inward) = split_parts(pieces)?;
    // `WOKING` is not W0K 1NG: a single piece needs a digit.
    let has_digit = |piece: &&str| piece.contains(|c: char| c.is_ascii_digit());
    let is_number = outward.bytes().all(|byte| byte.is_ascii_digit());
    if pieces.len() < 2 && !pieces.iter().any(has_digit)
        || is_number
        || !(2..=4).contains(&outward.len())
    {
        return None;
    }
    let inward = format!("{}{}", as_digits(&inward[..1]), &inward[1..]);
    for letters in [2, 1] {
        let Some((area, district)) = outward.split_at_checked(letters) else {
            continue;
        };
        let area = area.replace('0', "O").replace('1', "I");
        let parts = district.split_at_checked(1);
        let with_letter = parts.map(|(first, last)| format!("{}{last}", as_digits(first)));
        for district in [Some(as_digits(district)), with_letter]
            .into_iter()
            .flatten()
        {
            let compact = format!("{area}{district}{inward}");
            if AREAS.contains(&area.as_str()) && is_postcode(&compact) {
                return Some(compact);
            }
        }
    }
    None
}

fn as_digits(text: &str) -> String {
    text.replace('O', "0").replace(['I', 'L'], "1")
}

/// Reads a postcode with a letter that no inward part has. It gives a district and no property.
fn read_misspelt(pieces: &[&str]) -> Option<String> {
    let (outward, inward) = split_parts(pieces)?;
    let has_digit = inward.starts_with(|first: char| first.is_ascii_digit());
    let is_like_postcode = has_digit && is_letters(&inward[1..]) && is_outward(outward);
    is_like_postcode.then(|| format!("{outward}{inward}"))
}

/// The outward and the inward part of one or two pieces.
fn split_parts<'a>(pieces: &[&'a str]) -> Option<(&'a str, &'a str)> {
    match pieces {
        [compact] => compact.split_at_checked(compact.len().checked_sub(INWARD_LETTERS)?),
        [outward, inward] if inward.len() == INWARD_LETTERS => Some((outward, inward)),
        _ => None,
    }
}

/// Removes a postcode without a space before it: `LEEDSLS1 4AP`.
fn take_glued(lexemes: &mut Vec<Lexeme>) -> Option<Postcode> {
    for end in possible_ends(lexemes) {
        for length in 1..=2.min(end + 1) {
            let start = end + 1 - length;
            let pieces = pieces(lexemes, start, length);
            let parts = pieces.and_then(|pieces| split_parts(&pieces));
            let Some((outward, inward)) = parts else {
                continue;
            };
            let Some((town, outward)) = split_town(outward) else {
                continue;
            };
            let compact = format!("{outward}{inward}");
            if is_postcode(&compact) {
                let town = Lexeme::Word(town.to_owned());
                lexemes.splice(start..start + length, [town, Lexeme::Break]);
                return Some(split_compact(&compact));
            }
        }
    }
    None
}

/// A town and the outward part behind it. `LONDONN1` could be N1 or NN1: a known town decides, else
/// the longer area.
fn split_town(glued: &str) -> Option<(&str, &str)> {
    let splits = (TOWN_LETTERS_MIN..glued.len()).map(|at| glued.split_at(at));
    let is_possible = |(town, outward): &(&str, &str)| {
        let area = outward.split(|c: char| c.is_ascii_digit()).next();
        is_letters(town) && is_outward(outward) && area.is_some_and(|area| AREAS.contains(&area))
    };
    let splits: Vec<(&str, &str)> = splits.filter(is_possible).collect();
    let known = splits.iter().find(|(town, _)| is_widespread(town));
    known.or(splits.first()).copied()
}

/// Removes a partial postcode from the end: `… LS1`, `… LS1 4`, `… LS1 4A`.
fn take_district(lexemes: &mut Vec<Lexeme>) -> Postcode {
    while lexemes.last() == Some(&Lexeme::Break) {
        lexemes.pop();
    }
    for length in [2, 1] {
        let Some(start) = lexemes.len().checked_sub(length) else {
            continue;
        };
        let pieces = pieces(lexemes, start, length);
        let district = pieces.and_then(|pieces| split_district(&pieces));
        // The `E1` of `FLAT E1` is a flat.
        let district = district.filter(|_| !follows_marker(lexemes, start));
        if let Some((outward, inward_start)) = district {
            let postcode = Postcode::District {
                outward: outward.to_owned(),
                inward_start: inward_start.to_owned(),
            };
            lexemes.truncate(start);
            return postcode;
        }
    }
    Postcode::Absent
}

/// The outward part and the first characters of the inward part, if any.
fn split_district<'a>(pieces: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let (outward, inward) = match pieces {
        [outward, inward] => (*outward, *inward),
        [outward] if is_outward(outward) => (*outward, ""),
        // `SW1A2A`
        [compact] => compact.split_at_checked(compact.len().saturating_sub(2))?,
        _ => return None,
    };
    let is_inward_start = match inward.as_bytes() {
        [] => true,
        [sector, rest @ ..] => {
            sector.is_ascii_digit() && rest.len() < 2 && rest.iter().all(u8::is_ascii_uppercase)
        }
    };
    (is_inward_start && is_outward(outward)).then_some((outward, inward))
}

const SCOTTISH_AREAS: [&str; 16] = [
    "AB", "DD", "DG", "EH", "FK", "G", "HS", "IV", "KA", "KW", "KY", "ML", "PA", "PH", "TD", "ZE",
];

/// All postcode areas: a repair must not invent another one.
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
