//! The words that addresses are made of, with their abbreviations. The lists are fixed, so that a
//! match never depends on what else a store holds.

mod lookalike;
mod spelling;
mod widespread;

pub(crate) use lookalike::is_lookalike;
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

/// Storeys and other parts of a house that stand for a flat's number.
pub(crate) fn storey(word: &str) -> Option<&'static str> {
    Some(match word {
        "GROUND" | "GRD" | "GRND" | "GND" | "GF" => "GROUND",
        "FIRST" | "1ST" | "FF" => "FIRST",
        "SECOND" | "2ND" => "SECOND",
        "THIRD" | "3RD" => "THIRD",
        "FOURTH" | "4TH" => "FOURTH",
        "FIFTH" | "5TH" => "FIFTH",
        "SIXTH" | "6TH" => "SIXTH",
        "SEVENTH" | "7TH" => "SEVENTH",
        "EIGHTH" | "8TH" => "EIGHTH",
        "TOP" => "TOP",
        "BASEMENT" | "BSMT" => "BASEMENT",
        "LOWER" | "LWR" => "LOWER",
        "UPPER" | "UPR" => "UPPER",
        "MIDDLE" => "MIDDLE",
        "GARDEN" | "GDN" => "GARDEN",
        "REAR" => "REAR",
        "FRONT" => "FRONT",
        _ => return None,
    })
}

/// Which of the flats of a storey.
pub(crate) fn side(word: &str) -> Option<&'static str> {
    Some(match word {
        "LEFT" | "LH" | "LHS" => "LEFT",
        "RIGHT" | "RH" | "RHS" => "RIGHT",
        "CENTRE" | "CENTER" => "CENTRE",
        "HAND" | "SIDE" => "",
        _ => return None,
    })
}

/// What is no flat and is counted like one, or stands beside a numbered house: `CABIN 2`,
/// `THE LODGE, 26 HIGH STREET`.
pub(crate) fn small(word: &str) -> Option<&'static str> {
    Some(match word {
        "COTTAGE" => "COTTAGE",
        "LODGE" => "LODGE",
        "BUNGALOW" => "BUNGALOW",
        "STABLE" | "STABLES" => "STABLES",
        "GATEHOUSE" => "COACH HOUSE",
        "BARN" => "BARN",
        "HOUSE" => "HOUSE",
        "VILLA" => "VILLA",
        "CABIN" => "CABIN",
        "CHALET" => "CHALET",
        "DUPLEX" => "DUPLEX",
        "HUT" => "HUT",
        "PITCH" => "PITCH",
        "BERTH" => "BERTH",
        "MOORING" => "MOORING",
        "SPACE" => "SPACE",
        "BAY" => "BAY",
        "HANGAR" => "HANGAR",
        "SITE" => "SITE",
        _ => return None,
    })
}

/// Whether it stands beside a numbered house without a number of its own.
pub(crate) fn is_small_alone(code: &str) -> bool {
    [
        "COTTAGE",
        "LODGE",
        "BUNGALOW",
        "STABLES",
        "COACH HOUSE",
        "BARN",
        "SPACE",
    ]
    .contains(&code)
}

/// Words that name a part of a house without any marker: who leaves them out means another one.
pub(crate) fn part_of_house(word: &str) -> Option<&'static str> {
    Some(match word {
        "ANNEXE" | "ANNEX" => "ANNEXE",
        "PENTHOUSE" => "PENTHOUSE",
        "MAISONETTE" | "MAISONNETTE" => "MAISONETTE",
        "BASEMENT" | "BFF" => "BASEMENT",
        "REAR" => "REAR",
        "OUTBUILDING" | "OUTBUILDINGS" => "OUTBUILDING",
        "LAND" => "LAND",
        "ATTIC" => "ATTIC",
        "LOFT" => "LOFT",
        "BEDSIT" | "BEDSITTER" => "BEDSIT",
        "CARAVAN" => "CARAVAN",
        "CELLAR" => "CELLAR",
        "GARAGE" => "GARAGE",
        "MEZZANINE" => "MEZZANINE",
        "OUTHOUSE" => "OUTHOUSE",
        "UPSTAIRS" => "UPSTAIRS",
        "DOWNSTAIRS" => "DOWNSTAIRS",
        // Agents' short forms of `Ground Floor Flat` and so on; the T may be third or top.
        "GFF" => "GROUND",
        "FFF" => "FIRST",
        "SFF" => "SECOND",
        "HFF" => "HALL",
        "GFL" => "GROUNDLEFT",
        "GFR" => "GROUNDRIGHT",
        "FFL" => "FIRSTLEFT",
        "FFR" => "FIRSTRIGHT",
        "TFL" => "TFL",
        "TFR" => "TFR",
        "TFF" => "TFF",
        "LGF" | "LGFF" => "LOWERGROUND",
        "UGF" | "UGFF" => "UPPERGROUND",
        _ => return None,
    })
}

/// Whether a part of a house is as often a part of a name: `The Loft Café`.
pub(crate) fn may_be_name(part_of_house: &str) -> bool {
    [
        "ATTIC",
        "LOFT",
        "CARAVAN",
        "CELLAR",
        "GARAGE",
        "MEZZANINE",
        "OUTHOUSE",
        "UPSTAIRS",
        "DOWNSTAIRS",
    ]
    .contains(&part_of_house)
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
