//! The words that addresses are made of, with their abbreviations. The lists are fixed, so that a
//! match never depends on what else a store holds.

use crate::distance::typing_errors;

mod widespread;

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
    /// No word announces it: a building's number, or a flat's before it.
    Bare,
}

/// What a word announces: `FLAT`, `APT`.
pub(crate) fn marker(word: &str) -> Option<Marker> {
    Some(match word {
        "FLAT" | "FLT" | "FLATS" | "FL" | "APARTMENT" | "APT" | "APPT" | "APART" | "STUDIO" => {
            Marker::Dwelling
        }
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
        "GROUND" | "GRD" | "GND" => "GROUND",
        "FIRST" | "1ST" => "FIRST",
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

/// Words that name a part of a house without any marker: who leaves them out means another one.
pub(crate) fn part_of_house(word: &str) -> Option<&'static str> {
    Some(match word {
        "ANNEXE" | "ANNEX" => "ANNEXE",
        "PENTHOUSE" => "PENTHOUSE",
        "MAISONETTE" | "MAISONNETTE" => "MAISONETTE",
        "BASEMENT" => "BASEMENT",
        "REAR" => "REAR",
        "OUTBUILDING" | "OUTBUILDINGS" => "OUTBUILDING",
        "LAND" => "LAND",
        _ => return None,
    })
}

/// The one spelling of a word that has several, and all its long forms for comparing typing
/// errors.
#[derive(Debug)]
pub(crate) struct Spelling {
    pub(crate) short: &'static str,
    pub(crate) forms: &'static [&'static str],
    pub(crate) is_street_type: bool,
}

/// The spelling of a known word. `ST` is both street and saint, so it needs no guess.
pub(crate) fn spelling(word: &str) -> Option<&'static Spelling> {
    SPELLINGS
        .iter()
        .find(|spelling| spelling.short == word || spelling.forms.contains(&word))
}

const fn kind(short: &'static str, forms: &'static [&'static str]) -> Spelling {
    Spelling {
        short,
        forms,
        is_street_type: true,
    }
}

const fn word(short: &'static str, forms: &'static [&'static str]) -> Spelling {
    Spelling {
        short,
        forms,
        is_street_type: false,
    }
}

const SPELLINGS: &[Spelling] = &[
    kind("ST", &["STREET", "SAINT", "STR", "SAINTS"]),
    kind("RD", &["ROAD"]),
    kind("AVE", &["AVENUE", "AV", "AVN"]),
    kind("LN", &["LANE", "LA"]),
    kind("CL", &["CLOSE", "CLO"]),
    kind("DR", &["DRIVE", "DRV", "DOCTOR"]),
    kind("PL", &["PLACE", "PLC"]),
    kind("CRES", &["CRESCENT", "CRESENT", "CR", "CRS", "CRESC"]),
    kind("CT", &["COURT", "CRT"]),
    kind("GDNS", &["GARDENS", "GDN", "GARDEN"]),
    kind("GR", &["GROVE", "GRV", "GRO"]),
    kind("TER", &["TERRACE", "TERR", "TCE"]),
    kind("SQ", &["SQUARE", "SQR"]),
    kind("PDE", &["PARADE"]),
    kind("PK", &["PARK"]),
    kind("WY", &["WAY"]),
    kind("WLK", &["WALK"]),
    kind("MWS", &["MEWS"]),
    kind("VW", &["VIEW"]),
    kind("VLS", &["VILLAS", "VILLA"]),
    kind("YD", &["YARD"]),
    kind("BLVD", &["BOULEVARD", "BVD"]),
    kind("GRN", &["GREEN"]),
    kind("HL", &["HILL"]),
    kind("ROW", &[]),
    kind("RISE", &[]),
    kind("QY", &["QUAY"]),
    kind("WHARF", &["WHF"]),
    kind("BDWY", &["BROADWAY", "BWAY"]),
    kind("HTS", &["HEIGHTS"]),
    kind("CTS", &["COTTAGES"]),
    kind("ARC", &["ARCADE"]),
    kind("PREC", &["PRECINCT"]),
    kind("PROM", &["PROMENADE"]),
    kind("CIR", &["CIRCUS", "CIRCLE"]),
    kind("MDWS", &["MEADOWS", "MEADOW", "MDW"]),
    kind("CFT", &["CROFT"]),
    kind("FLDS", &["FIELDS"]),
    kind("PTH", &["PATH"]),
    kind("PASS", &["PASSAGE"]),
    kind("CNR", &["CORNER"]),
    kind("CHASE", &[]),
    kind("FOLD", &[]),
    kind("GATE", &[]),
    kind("BANK", &[]),
    kind("END", &[]),
    kind("VALE", &[]),
    kind("COMMON", &[]),
    kind("ESPLANADE", &["ESP"]),
    word("HSE", &["HOUSE", "HO"]),
    word("COTT", &["COTTAGE", "COT"]),
    word("BLDGS", &["BUILDINGS", "BUILDING", "BLDG"]),
    word("APARTMENTS", &["APTS"]),
    word("FM", &["FARM"]),
    word("LDG", &["LODGE"]),
    word("MNR", &["MANOR"]),
    word("MANS", &["MANSIONS", "MANSION"]),
    word("CTR", &["CENTRE", "CENTER", "CTRE", "CEN", "CENT"]),
    word("EST", &["ESTATE"]),
    word("IND", &["INDUSTRIAL", "INDL"]),
    word("TDG", &["TRADING"]),
    word("BUS", &["BUSINESS"]),
    word("MT", &["MOUNT"]),
    word("GT", &["GREAT"]),
    word("LT", &["LITTLE", "LTL"]),
    word("NTH", &["NORTH"]),
    word("STH", &["SOUTH"]),
    word("EAST", &[]),
    word("WEST", &[]),
    word("UPPER", &["UPR"]),
    word("LOWER", &["LWR"]),
    word("LTD", &["LIMITED"]),
    word("CO", &["COMPANY", "COUNTY"]),
    word("BROS", &["BROTHERS"]),
    word("JCN", &["JUNCTION", "JCT"]),
    word("SCH", &["SCHOOL"]),
    word("HOSP", &["HOSPITAL"]),
    word("PRACT", &["PRACTICE", "PRAC"]),
    word("MED", &["MEDICAL"]),
    word("SURG", &["SURGERY"]),
    word("FIRST", &["1ST"]),
    word("SECOND", &["2ND"]),
    word("THIRD", &["3RD"]),
    word("FOURTH", &["4TH"]),
    word("FIFTH", &["5TH"]),
    word("SIXTH", &["6TH"]),
    word("SEVENTH", &["7TH"]),
    word("EIGHTH", &["8TH"]),
    word("NINTH", &["9TH"]),
    word("TENTH", &["10TH"]),
    word("ELEVENTH", &["11TH"]),
    word("TWELFTH", &["12TH"]),
];

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

/// Whether a word could be a kind of street, mistyped.
pub(crate) fn resembles_street_type(word: &str) -> bool {
    let kinds = SPELLINGS.iter().filter(|spelling| spelling.is_street_type);
    let long = kinds.filter_map(|spelling| spelling.forms.first());
    let most = |form: &str| if form.len() < 8 { 1 } else { 2 };
    long.filter(|form| form.len() >= 4)
        .any(|form| typing_errors(word, form, most(form)).is_some())
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
