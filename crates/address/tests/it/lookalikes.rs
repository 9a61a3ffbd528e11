//! Homes that look like the one that is meant, each alone in the store: another is never answered
//! (S-7).

use address::Decision;

use crate::decide::{check, decide_on, home, rank, rows};

const OTHER_HOMES: &str = "
# A flat and a house of one number.
2 High Street | 2, 2 high street leeds ls1 4ap
1 High Street | falt 1 1 high street leeds ls1 4ap
Studio, 14 High Street | flat two 14 high st ls1 4ap
The Flat, 14 High Street | flat ii 14 high st ls1 4ap
# Another postcode, and a second difference.
12 Granville Road | 12 grenville road leeds ls1 4ab
3 Mill Lane | oak cottage 3 mill lane leeds ls1 4ab
# Another house beside the name.
The Old Rectory, Church Lane | ivy cottage the old rectory church lane ls1 4ap
# Something beside, above or in the house.
12 High Street | above 12 high street leeds ls1 4ap
12 High Street | bff 12 high street leeds ls1 4ap
20 Park Road | 20 park road attic leeds ls1 4ap
20 Park Road | 20 park road coach house ls1 4ap
Second Floor, 83 High Street | first and second floors 83 high street ls1 4ap
First And Second Floors, 83 High Street | second floor 83 high street ls1 4ap
All Three Floors, 83 High Street | 83 high street ls1 4ap
FlatB, 53 High Street | 53 high street ls1 4ap
Top Left, 77 High Street | 77 high street ls1 4ap
TFL, 77 High Street | 77 high street ls1 4ap
Staff Accommodation, 46 High Street | 46 high street ls1 4ap
12 Mill Lane | near 12 mill lane leeds ls1 4ap
# A building of flats without the flat, and a building for a street.
7 London Road | albion court 7 london road leeds ls1 4ap
12 High Street | the mews, 12 high street ls1 4ap
1 High Street | 1 high street apartments leeds ls1 4ap
1 High Street | 1 high street works leeds ls1 4ap
Flat 4, Mill Lane House | flat 4 mill lane ls1 4ap
1 Manor Farm Cottages | 1 manor farm ls1 4ap
20 High Street | baesment 20 high street leeds ls1 4ap
20 High Street | rearof 20 high street leeds ls1 4ap
20 High Street | blocka 20 high street leeds ls1 4ap
Apartment 3, Kings Court, 11 Hill Terrace | knit 3, kings court, hill terrace leeds ls1
Flat 3, Albert Court, 2 Albert Crescent | 3 albert leeds ls1 4ap
Flat 2, Church View | flat 2 leeds ls1 4ap
5 Grey Arcade, 9 Grey Lane | 5 grey leeds ls1 4ap
Studio 2, Church View | flat 2 church view leeds ls1 4ap
# Another block, and another building at the number.
Apartment 4, Building C, 20 Mill Lane | apt 4 building b 20 mill lane ls1 4ap
Apartment 4, Building C, 20 Mill Lane | apt 4, 20 mill lane ls1 4ap
Flat 9, Tower 2, Dock Street | flat 9 dock street ls1 4ap
The Old Bakery, 12 High Street | the old brewery 12 high street ls1 4ap
";

const OTHER_STREETS: &str = "
# A longer street, and another or unknown street type.
1 High Street Mews | 1 high street leeds ls1 4ap
3 Church Lane Cottages | 3 church lane leeds ls1 4ap
5 Church Road | 5 church farm ls1 4ap
9 Harcourt Road | 9 harcourt wk ls1 4ap
411 Ching Road | 411 chingcl ls1 4ap
2 The Green | 2 green leeds ls1 4aq
2 Mill Way | 2 the leeds ls1 4ap
Flat 3, Kings Court, Hazel Crescent, Morley | flat 3 kings court the crescent morley leeds
Flat 2, Rose Court, Green Way | flat 2 rose court the green leeds ls1 4ap
# From 13 to 17, and no flat.
13/17 Low Street | flat 13, 17 low street leeds ls1 4ap
# Two towns, and no postcode that decides.
430 Finch Road, Morley | chichester, 430 finch road, morley
# The right building in another street, and two streets.
Flat 10, Church View, St John's Road | flat 10 church view victoria road leeds ls1 4ap
14 Heather Way, Roundhay Road | 14 heather way york road leeds ls1 4ap
14 Cheapside | cheapside 14 poultry leeds ls1 4ap
";

/// Two names that differ by a letter. Without the full postcode they are two streets.
const SIMILAR_NAMES: &str = "
Granville | grenville
Walton | wilton
Clifton | clinton
Hillcrest | hillcroft
Wellington | willington
Brooklands | brookland
";

const SCOTTISH: &str = "
31/6 Clerk Street | flat 31 6 clerk st eh8 9aa
31/6 Clerk Street | 31-6 clerk st eh8 9aa
Flat 31, 6 Clerk Street | 31/6 clerk st eh8 9aa
";

const PARTS: &str = "Attic|Loft|Caravan|Cellar|Garage|Mezzanine|Outhouse|Upstairs|Bedsit|GFF|FFF|LGFF|\
    Penthouse|Annexe|Basement|A|PF2|2F1|Upstairs Flat|Loft Apartment|Flat Two";

fn check_one(stored: &str, text: &str, expected: Decision<usize>) {
    assert_eq!(decide_on(stored, text), expected, "{stored}: {text}");
}

#[test]
fn another_home_is_never_meant() {
    check(OTHER_HOMES, Decision::Nothing);
    check(OTHER_STREETS, Decision::Nothing);
    for (name, typed) in rows(SIMILAR_NAMES) {
        for place in ["leeds", "leeds ls1", "ls1"] {
            let text = format!("12 {typed} road {place}");
            check_one(&format!("12 {name} Road"), &text, Decision::Nothing);
        }
    }
}

#[test]
fn a_flat_of_any_name_is_not_its_building() {
    let (building, text) = ("14 High Street", "14 high street leeds ls1 4ap");
    for part in PARTS.split('|') {
        check_one(&format!("{part}, {building}"), text, Decision::Nothing);
        check_one(building, &format!("{part} {text}"), Decision::Nothing);
    }
}

#[test]
fn numbers_joined_by_a_word_are_no_flat() {
    let decide = |joint: &str| {
        let text = format!("12 {joint} 14 high street leeds ls1 4ap");
        decide_on("Flat 12, 14 High Street", &text)
    };
    for joint in ["or", "thru", "until", "_", "opposite", "x"] {
        assert_eq!(decide(joint), Decision::Nothing, "{joint}");
    }
    for joint in ["", ",", "at"] {
        assert_eq!(decide(joint), Decision::One(0), "{joint}");
    }
}

#[test]
fn a_numbered_unit_that_is_no_flat_is_another_home() {
    let place = "64 high street leeds ls1 4ap";
    for named in "Villa House Cabin Plot Duplex Pitch Lodge Cottage".split(' ') {
        let stored = format!("{named} 2, 64 High Street");
        check_one(&stored, &format!("flat 2 {place}"), Decision::Nothing);
        check_one(&stored, place, Decision::Nothing);
        check_one(&stored, &format!("{named} 2 {place}"), Decision::One(0));
        let text = format!("{named} 2, {place}");
        check_one("Flat 2, 64 High Street", &text, Decision::Nothing);
    }
}

#[test]
fn a_unit_beside_a_house_is_another_home() {
    let place = "26 high street leeds ls1 4ap";
    for beside in "Cottage|The Lodge|The Coach House|Stables|Parking space".split('|') {
        for joint in [" ", ", "] {
            let text = format!("{beside}{joint}{place}");
            check_one("26 High Street", &text, Decision::Nothing);
        }
        let stored = format!("{beside}, 26 High Street");
        if beside != "Parking space" {
            check_one(&stored, &format!("{beside} {place}"), Decision::One(0));
            check_one(&stored, place, Decision::Nothing);
        }
    }
}

#[test]
fn a_slash_in_scotland_is_only_a_slash() {
    let decide = |stored: &str, text: &str| {
        rank(&[home(0, &format!("{stored}, Edinburgh, EH8 9AA"))], text).decision()
    };
    let same = decide("31/6 Clerk Street", "31/6 clerk st eh8 9aa");
    assert_eq!(same, Decision::One(0));
    for (stored, text) in rows(SCOTTISH) {
        assert_eq!(decide(stored, text), Decision::Nothing, "{stored}: {text}");
    }
}
