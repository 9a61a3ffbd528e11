//! Words for the parts of a house, and for what stands beside it.

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
