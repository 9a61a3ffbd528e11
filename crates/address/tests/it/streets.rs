//! Streets that look like the one that is meant: another is never answered (S-7).

use crate::lookalikes::decide_on;
use address::Decision;

#[test]
fn another_street_is_another() {
    for (stored, text) in [
        // Another kind of street.
        ("411 Ching Road", "411 chingcl ls1 4ap"),
        ("2 The Green", "2 green leeds ls1 4aq"),
        ("2 Mill Way", "2 the leeds ls1 4ap"),
        (
            "Flat 3, Kings Court, Hazel Crescent, Morley",
            "flat 3 kings court the crescent morley leeds",
        ),
        (
            "Flat 2, Rose Court, Green Way",
            "flat 2 rose court the green leeds ls1 4ap",
        ),
        // From 13 to 17, and no flat.
        ("13/17 Low Street", "flat 13, 17 low street leeds ls1 4ap"),
        // Two towns, and no postcode that decides.
        (
            "430 Finch Road, Morley",
            "chichester, 430 finch road, morley",
        ),
        // The right building in another street, and two streets.
        (
            "Flat 10, Church View, St John's Road",
            "flat 10 church view victoria road leeds ls1 4ap",
        ),
        (
            "14 Heather Way, Roundhay Road",
            "14 heather way york road leeds ls1 4ap",
        ),
        ("14 Cheapside", "cheapside 14 poultry leeds ls1 4ap"),
    ] {
        assert_eq!(
            decide_on(stored, text),
            Decision::Nothing,
            "{stored}: {text}"
        );
    }
}

#[test]
fn a_similar_name_needs_a_postcode() {
    for (stored, typed) in [
        ("Granville", "grenville"),
        ("Walton", "wilton"),
        ("Clifton", "clinton"),
        ("Hillcrest", "hillcroft"),
        ("Wellington", "willington"),
        ("Brooklands", "brookland"),
    ] {
        let stored = format!("12 {stored} Road");
        for place in ["leeds", "leeds ls1", "ls1"] {
            let text = format!("12 {typed} road {place}");
            assert_eq!(
                decide_on(&stored, &text),
                Decision::Nothing,
                "{stored}: {text}"
            );
        }
    }
    for (stored, typed) in [
        ("Granville", "grannville"),
        ("Walton", "wlaton"),
        ("Wellington", "wellingotn"),
        ("Brooklands", "broklands"),
        ("Harehills", "harehhills"),
        ("Hampton", "hamptpn"),
    ] {
        let (stored, text) = (
            format!("12 {stored} Road"),
            format!("12 {typed} road leeds"),
        );
        assert_eq!(
            decide_on(&stored, &text),
            Decision::One(0),
            "{stored}: {text}"
        );
    }
}
