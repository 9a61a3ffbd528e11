//! Words for parts of a house and for small buildings beside it.

/// The storey, or another part of a house that identifies a flat.
pub(crate) fn storey(word: &str) -> Option<&'static str> {
    code(word, STOREYS, STOREY_FORMS)
}

/// Which of the flats on a storey a word means.
pub(crate) fn side(word: &str) -> Option<&'static str> {
    Some(match word {
        "LEFT" | "LH" | "LHS" => "LEFT",
        "RIGHT" | "RH" | "RHS" => "RIGHT",
        "CENTRE" | "CENTER" => "CENTRE",
        "HAND" | "SIDE" => "",
        _ => return None,
    })
}

/// A unit that is no flat and has a number or stands beside a numbered house: `CABIN 2`,
/// `THE LODGE, 26 HIGH STREET`.
pub(crate) fn named_unit(word: &str) -> Option<&'static str> {
    code(word, NAMED_UNITS, NAMED_UNIT_FORMS)
}

/// Whether such a unit stands beside a numbered house without a number of its own.
pub(crate) fn stands_without_number(named_unit: &str) -> bool {
    WITHOUT_NUMBER.contains(&named_unit)
}

/// A part of a house that no marker announces. An address without it is another one.
pub(crate) fn part_of_house(word: &str) -> Option<&'static str> {
    code(word, PARTS, PART_FORMS)
}

/// Whether a part of a house is just as often part of a name: `The Loft Café`.
pub(crate) fn is_part_or_name(part_of_house: &str) -> bool {
    PARTS_IN_NAMES.contains(&part_of_house)
}

/// The one form of a word: the word itself, or the form beside it.
fn code(
    word: &str,
    codes: &[&'static str],
    forms: &[(&str, &'static str)],
) -> Option<&'static str> {
    let form = || {
        forms
            .iter()
            .find(|(form, _)| *form == word)
            .map(|(_, code)| *code)
    };
    codes
        .iter()
        .find(|code| **code == word)
        .copied()
        .or_else(form)
}

#[rustfmt::skip]
const STOREYS: &[&str] = &[
    "GROUND", "FIRST", "SECOND", "THIRD", "FOURTH", "FIFTH", "SIXTH", "SEVENTH", "EIGHTH", "TOP",
    "BASEMENT", "LOWER", "UPPER", "MIDDLE", "GARDEN", "REAR", "FRONT",
];

#[rustfmt::skip]
const STOREY_FORMS: &[(&str, &str)] = &[
    ("GRD", "GROUND"), ("GRND", "GROUND"), ("GND", "GROUND"), ("GF", "GROUND"), ("1ST", "FIRST"),
    ("FF", "FIRST"), ("2ND", "SECOND"), ("3RD", "THIRD"), ("4TH", "FOURTH"), ("5TH", "FIFTH"),
    ("6TH", "SIXTH"), ("7TH", "SEVENTH"), ("8TH", "EIGHTH"), ("BSMT", "BASEMENT"),
    ("LWR", "LOWER"), ("UPR", "UPPER"), ("GDN", "GARDEN"),
];

#[rustfmt::skip]
const NAMED_UNITS: &[&str] = &[
    "COTTAGE", "LODGE", "BUNGALOW", "STABLES", "BARN", "HOUSE", "VILLA", "CABIN", "CHALET",
    "DUPLEX", "HUT", "PITCH", "BERTH", "MOORING", "SPACE", "BAY", "HANGAR", "SITE",
];

const NAMED_UNIT_FORMS: &[(&str, &str)] = &[("STABLE", "STABLES"), ("GATEHOUSE", "COACH HOUSE")];

#[rustfmt::skip]
const WITHOUT_NUMBER: &[&str] = &[
    "COTTAGE", "LODGE", "BUNGALOW", "STABLES", "COACH HOUSE", "BARN", "SPACE",
];

#[rustfmt::skip]
const PARTS: &[&str] = &[
    "ANNEXE", "PENTHOUSE", "MAISONETTE", "BASEMENT", "REAR", "OUTBUILDING", "LAND", "ATTIC",
    "LOFT", "BEDSIT", "CARAVAN", "CELLAR", "GARAGE", "MEZZANINE", "OUTHOUSE", "UPSTAIRS",
    "DOWNSTAIRS", "TFL", "TFR", "TFF",
];

/// Agents write `Ground Floor Flat` as GFF. The T of TFF, which stays as it is, may mean third or
/// top.
#[rustfmt::skip]
const PART_FORMS: &[(&str, &str)] = &[
    ("ANNEX", "ANNEXE"), ("MAISONNETTE", "MAISONETTE"), ("BFF", "BASEMENT"),
    ("OUTBUILDINGS", "OUTBUILDING"), ("BEDSITTER", "BEDSIT"), ("GFF", "GROUND"),
    ("FFF", "FIRST"), ("SFF", "SECOND"), ("HFF", "HALL"), ("GFL", "GROUNDLEFT"),
    ("GFR", "GROUNDRIGHT"), ("FFL", "FIRSTLEFT"), ("FFR", "FIRSTRIGHT"), ("LGF", "LOWERGROUND"),
    ("LGFF", "LOWERGROUND"), ("UGF", "UPPERGROUND"), ("UGFF", "UPPERGROUND"),
];

#[rustfmt::skip]
const PARTS_IN_NAMES: &[&str] = &[
    "ATTIC", "LOFT", "CARAVAN", "CELLAR", "GARAGE", "MEZZANINE", "OUTHOUSE", "UPSTAIRS",
    "DOWNSTAIRS",
];
