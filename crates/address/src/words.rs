//! The words that addresses are made of, with their abbreviations. The lists are fixed, so that a
//! match never depends on what else a store holds.

mod part;
mod spelling;
mod widespread;

pub(crate) use part::{is_small_alone, may_be_name, part_of_house, side, small, storey};
pub(crate) use spelling::{Spelling, resembles_street_type, spelling};
pub(crate) use widespread::is_widespread;

/// The kind of a flat, room or unit that a word announces.
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
    /// A house, a berth or the like with a number: `VILLA 2`.
    Named(&'static str),
    /// No word announces it: a building's number, or a flat's before it.
    Bare,
}

/// What a word announces: `FLAT`, `APT`.
pub(crate) fn marker(word: &str) -> Option<Marker> {
    Some(match word {
        "FLAT" | "FLT" | "FLATS" | "FL" | "APARTMENT" | "APT" | "APPT" | "APART" => {
            Marker::Dwelling
        }
        // A house may have a studio 2 beside its flat 2.
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

/// Whether a word announces one of several blocks, where no name stands before it: `Building C`.
pub(crate) fn is_block(word: &str) -> bool {
    ["BUILDING", "CORE", "TOWER", "STAIR", "STAIRCASE"].contains(&word)
}

/// A flat's number in letters.
pub(crate) fn number_word(word: &str) -> Option<u32> {
    let words = [
        "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", "ELEVEN",
        "TWELVE",
    ];
    let at = words.iter().position(|number| *number == word)?;
    u32::try_from(at + 1).ok()
}

/// Words that say nothing about which property is meant.
pub(crate) fn is_filler(word: &str) -> bool {
    FILLERS.contains(&word)
}

const FILLERS: &[&str] = &[
    "THE", "OF", "AND", "AT", "IN", "ON", "BY", "LE", "UPON", "NR", "NEAR", "OFF", "TO", "NO",
    "NUMBER", "ADDRESS", "PROPERTY", "ENGLAND", "WALES", "UK", "GB", "BRITAIN", "UNITED",
    "KINGDOM", "C", "O",
];

/// A word of a county's name: typed often, and seldom part of a stored address.
pub(crate) fn is_county(word: &str) -> bool {
    COUNTIES.contains(&word) || word.len() > 6 && word.ends_with("SHIRE")
}

const COUNTIES: &[&str] = &[
    "AVON",
    "BEDS",
    "BERKS",
    "BUCKS",
    "CAMBS",
    "CHESHIRE",
    "CLEVELAND",
    "CLWYD",
    "CORNWALL",
    "CUMBRIA",
    "DERBYS",
    "DEVON",
    "DORSET",
    "DURHAM",
    "DYFED",
    "ESSEX",
    "GLAMORGAN",
    "GLOS",
    "GREATER",
    "GWENT",
    "GWYNEDD",
    "HANTS",
    "HEREFORD",
    "HERTS",
    "HUMBERSIDE",
    "KENT",
    "LANCS",
    "LEICS",
    "LINCS",
    "MERSEYSIDE",
    "MIDDLESEX",
    "MIDLANDS",
    "MIDDX",
    "NORFOLK",
    "NORTHANTS",
    "NORTHUMBERLAND",
    "NOTTS",
    "OXON",
    "POWYS",
    "RIDING",
    "RUTLAND",
    "SALOP",
    "SHROPS",
    "SOMERSET",
    "STAFFS",
    "SUFFOLK",
    "SURREY",
    "SUSSEX",
    "TYNE",
    "WEAR",
    "WARKS",
    "WILTS",
    "WORCS",
    "YORKS",
];

/// The points of the compass make another street of one name.
pub(crate) fn is_compass(word: &str) -> bool {
    [
        "NTH", "STH", "EAST", "WEST", "UPPER", "LOWER", "GT", "LT", "OLD", "NEW",
    ]
    .contains(&word)
}

/// The point of the compass that one letter behind a street stands for.
pub(crate) fn compass_of(letter: &str) -> Option<&'static str> {
    Some(match letter {
        "N" => "NTH",
        "S" => "STH",
        "E" => "EAST",
        "W" => "WEST",
        _ => return None,
    })
}

/// Streets that nearly every town and village has: their county tells too little.
pub(crate) fn is_everywhere(word: &str) -> bool {
    ["HIGH", "MAIN", "STATION", "CHURCH"].contains(&word)
}

/// Towns of one name in several counties: with another county it is another town.
pub(crate) fn is_in_several_counties(town: &str) -> bool {
    [
        "ASHFORD",
        "BURNHAM",
        "GILLINGHAM",
        "HALE",
        "KINGSTON",
        "LEIGH",
        "NEWCASTLE",
        "NEWPORT",
        "NORTON",
        "RICHMOND",
        "ROCHESTER",
        "STRATFORD",
        "SUTTON",
        "WELLINGTON",
        "WHITCHURCH",
    ]
    .contains(&town)
}

/// What the name of a building ends with that has flats: `12 Albion Court` is its flat 12.
pub(crate) fn is_building(word: &str) -> bool {
    [
        "HSE",
        "CT",
        "LDG",
        "MANS",
        "TOWER",
        "TOWERS",
        "POINT",
        "BLDGS",
        "APARTMENTS",
        "HTS",
        "HALL",
        "WHARF",
        "LOFTS",
        "BAKERY",
        "CHAPEL",
        "SCH",
        "MALTINGS",
        "BREWERY",
        "WAREHOUSE",
        "RECTORY",
        "VICARAGE",
        "MNR",
        "MILL",
        "MILLS",
        "HOMES",
    ]
    .contains(&word)
}

/// What a house is called by: says nothing without its name.
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

/// Words in a house's name that many houses have.
pub(crate) fn is_common_in_names(word: &str) -> bool {
    let houses = [
        "HSE", "COTT", "FM", "LDG", "MNR", "HALL", "BARN", "OLD", "NEW", "LT", "GT", "BUNGALOW",
        "FLATS", "ROSE", "BLDGS", "VILLAGE",
    ];
    houses.contains(&word) || is_trade(word)
}

/// What an organisation does: said of many, and often in other words.
pub(crate) fn is_trade(word: &str) -> bool {
    [
        "SURG",
        "DENTAL",
        "DENTIST",
        "DENTISTS",
        "MED",
        "PRACT",
        "CTR",
        "HEALTH",
        "CLINIC",
        "PHARMACY",
        "CHEMIST",
        "GARAGE",
        "MOTORS",
        "MOT",
        "SERVICE",
        "SERVICES",
        "STATION",
        "CAR",
        "CARS",
        "LTD",
        "CO",
        "PLC",
        "SCH",
        "PRIMARY",
        "CHURCH",
        "HOTEL",
        "INN",
        "PUB",
        "EST",
        "IND",
        "BUS",
        "TDG",
        "AUTO",
        "AUTOS",
        "REPAIRS",
        "COMMUNITY",
        "SHOP",
        "OFFICE",
    ]
    .contains(&word)
}
