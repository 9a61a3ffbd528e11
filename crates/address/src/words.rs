//! The fixed lists of words that addresses consist of. They never depend on the addresses that a
//! store holds, so every store gives the same answer.

mod part;
mod spelling;
mod widespread;

pub(crate) use part::{
    is_part_or_name, named_unit, part_of_house, side, stands_without_number, storey,
};
pub(crate) use spelling::{Spelling, resembles_street_type, spelling};
pub(crate) use widespread::is_widespread;

/// The kind of building, flat or room that has a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Marker {
    Block,
    Floor,
    Dwelling,
    Unit,
    Room,
    Suite,
    Shop,
    Plot,
    /// A small house, a berth or a parking space with a number: `VILLA 2`.
    Named(&'static str),
    /// No word announces the number of the building, or of the flat before it.
    Bare,
}

/// The kind that a word announces: `FLAT`, `APT`.
pub(crate) fn marker(word: &str) -> Option<Marker> {
    Some(match word {
        "FLAT" | "FLT" | "FLATS" | "FL" | "APARTMENT" | "APT" | "APPT" | "APART" => {
            Marker::Dwelling
        }
        // A house may have both a studio 2 and a flat 2.
        "STUDIO" => Marker::Named("STUDIO"),
        "UNIT" | "UNITS" => Marker::Unit,
        "ROOM" | "ROOMS" | "RM" => Marker::Room,
        "SUITE" | "STE" | "OFFICE" | "OFFICES" => Marker::Suite,
        "SHOP" | "SHOPS" | "KIOSK" | "STALL" | "STORE" => Marker::Shop,
        "PLOT" => Marker::Plot,
        "BLOCK" | "BLK" | "WING" | "ENTRANCE" | "PHASE" => Marker::Block,
        _ => return None,
    })
}

/// Whether a word announces one of several blocks (`Building C`) when no name precedes it.
pub(crate) fn is_block(word: &str) -> bool {
    ["BUILDING", "CORE", "TOWER", "STAIR", "STAIRCASE"].contains(&word)
}

/// The value of a number that is written in letters.
pub(crate) fn number_word(word: &str) -> Option<u32> {
    let at = NUMBERS.iter().position(|number| *number == word)?;
    u32::try_from(at + 1).ok()
}

/// Whether a word says nothing about the property.
pub(crate) fn is_filler(word: &str) -> bool {
    FILLERS.contains(&word)
}

/// Whether a word is part of a county's name. People type counties often, and stored addresses
/// seldom have one.
pub(crate) fn is_county(word: &str) -> bool {
    COUNTIES.contains(&word) || word.len() > 6 && word.ends_with("SHIRE")
}

/// Whether a word makes two streets of one name different, like a point of the compass.
pub(crate) fn is_compass(word: &str) -> bool {
    COMPASS.contains(&word)
}

/// The point of the compass that a letter behind a street stands for.
pub(crate) fn compass_of(letter: &str) -> Option<&'static str> {
    Some(match letter {
        "N" => "NTH",
        "S" => "STH",
        "E" => "EAST",
        "W" => "WEST",
        _ => return None,
    })
}

/// Whether nearly every town has a street of this name, so that a county does not identify it.
pub(crate) fn is_everywhere(word: &str) -> bool {
    ["HIGH", "MAIN", "STATION", "CHURCH"].contains(&word)
}

/// Whether several counties have a town of this name. In another county it is another town.
pub(crate) fn is_in_several_counties(town: &str) -> bool {
    TOWNS_IN_SEVERAL_COUNTIES.contains(&town)
}

/// Whether the name of a building with flats ends with this word: `12 Albion Court` is flat 12.
pub(crate) fn is_building(word: &str) -> bool {
    BUILDINGS.contains(&word)
}

/// Whether a word is the generic part of a house's name.
pub(crate) fn is_house(word: &str) -> bool {
    [
        "HSE",
        "COTT",
        "CT",
        "LDG",
        "MANS",
        "BLDGS",
        "APARTMENTS",
        "FM",
    ]
    .contains(&word)
}

/// Whether many houses have this word in their names.
pub(crate) fn is_common_in_names(word: &str) -> bool {
    COMMON_IN_NAMES.contains(&word) || is_trade(word)
}

/// Whether a word says what an organisation does. Registers describe trades in different words.
pub(crate) fn is_trade(word: &str) -> bool {
    TRADES.contains(&word)
}

#[rustfmt::skip]
const NUMBERS: &[&str] = &[
    "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", "ELEVEN",
    "TWELVE",
];

const FILLERS: &[&str] = &[
    "THE", "OF", "AND", "AT", "IN", "ON", "BY", "LE", "UPON", "NR", "NEAR", "OFF", "TO", "NO",
    "NUMBER", "ADDRESS", "PROPERTY", "ENGLAND", "WALES", "UK", "GB", "BRITAIN", "UNITED",
    "KINGDOM", "C", "O",
];

#[rustfmt::skip]
const COUNTIES: &[&str] = &[
    "AVON", "BEDS", "BERKS", "BUCKS", "CAMBS", "CHESHIRE", "CLEVELAND", "CLWYD", "CORNWALL",
    "CUMBRIA", "DERBYS", "DEVON", "DORSET", "DURHAM", "DYFED", "ESSEX", "GLAMORGAN", "GLOS",
    "GREATER", "GWENT", "GWYNEDD", "HANTS", "HEREFORD", "HERTS", "HUMBERSIDE", "KENT", "LANCS",
    "LEICS", "LINCS", "MERSEYSIDE", "MIDDLESEX", "MIDLANDS", "MIDDX", "NORFOLK", "NORTHANTS",
    "NORTHUMBERLAND", "NOTTS", "OXON", "POWYS", "RIDING", "RUTLAND", "SALOP", "SHROPS", "SOMERSET",
    "STAFFS", "SUFFOLK", "SURREY", "SUSSEX", "TYNE", "WEAR", "WARKS", "WILTS", "WORCS", "YORKS",
];

const COMPASS: &[&str] = &[
    "NTH", "STH", "EAST", "WEST", "UPPER", "LOWER", "GT", "LT", "OLD", "NEW",
];

#[rustfmt::skip]
const TOWNS_IN_SEVERAL_COUNTIES: &[&str] = &[
    "ASHFORD", "BURNHAM", "GILLINGHAM", "HALE", "KINGSTON", "LEIGH", "NEWCASTLE", "NEWPORT",
    "NORTON", "RICHMOND", "ROCHESTER", "STRATFORD", "SUTTON", "WELLINGTON", "WHITCHURCH",
];

#[rustfmt::skip]
const BUILDINGS: &[&str] = &[
    "HSE", "CT", "LDG", "MANS", "TOWER", "TOWERS", "POINT", "BLDGS", "APARTMENTS", "HTS", "HALL",
    "WHARF", "LOFTS", "BAKERY", "CHAPEL", "SCH", "MALTINGS", "BREWERY", "WAREHOUSE", "RECTORY",
    "VICARAGE", "MNR", "MILL", "MILLS", "HOMES",
];

const COMMON_IN_NAMES: &[&str] = &[
    "HSE", "COTT", "FM", "LDG", "MNR", "HALL", "BARN", "OLD", "NEW", "LT", "GT", "BUNGALOW",
    "FLATS", "ROSE", "BLDGS", "VILLAGE",
];

#[rustfmt::skip]
const TRADES: &[&str] = &[
    "SURG", "DENTAL", "DENTIST", "DENTISTS", "MED", "PRACT", "CTR", "HEALTH", "CLINIC", "PHARMACY",
    "CHEMIST", "GARAGE", "MOTORS", "MOT", "SERVICE", "SERVICES", "STATION", "CAR", "CARS", "LTD",
    "CO", "PLC", "SCH", "PRIMARY", "CHURCH", "HOTEL", "INN", "PUB", "EST", "IND", "BUS", "TDG",
    "AUTO", "AUTOS", "REPAIRS", "COMMUNITY", "SHOP", "OFFICE",
];
