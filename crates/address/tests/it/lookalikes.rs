//! Homes beside the one that is meant, each alone in the store: another is never answered (S-7).

use address::{Decision, Known, Query, rank};

/// What a query finds where one address is all there is.
pub(crate) fn decide_on(stored: &str, text: &str) -> Decision<usize> {
    let mut parts = stored.split(", ");
    let lines = [(); 4].map(|()| parts.next().unwrap_or_default());
    let display = format!("{stored}, Leeds, LS1 4AP");
    let known = Known {
        lines,
        post_town: "Leeds",
        postcode: "LS1 4AP",
        display_address: &display,
    };
    rank(&Query::parse(text), std::iter::once((0, known))).decision()
}

#[test]
fn a_flat_of_any_name_is_not_its_building() {
    for part in [
        "Attic",
        "Loft",
        "Caravan",
        "Cellar",
        "Garage",
        "Mezzanine",
        "Outhouse",
        "Upstairs",
        "Bedsit",
        "GFF",
        "FFF",
        "LGFF",
        "Penthouse",
        "Annexe",
        "Basement",
        "A",
        "PF2",
        "2F1",
        "Upstairs Flat",
        "Loft Apartment",
        "Flat Two",
    ] {
        let stored = format!("{part}, 14 High Street");
        let text = "14 high street leeds ls1 4ap";
        assert_eq!(decide_on(&stored, text), Decision::Nothing, "{stored}");
        let text = format!("{part} 14 high street leeds ls1 4ap");
        assert_eq!(
            decide_on("14 High Street", &text),
            Decision::Nothing,
            "{text}"
        );
    }
    assert_eq!(
        decide_on("Flat 2, 14 High Street", "flat two 14 high st ls1 4ap"),
        Decision::One(0)
    );
    assert_eq!(
        decide_on("Studio, 14 High Street", "flat two 14 high st ls1 4ap"),
        Decision::Nothing
    );
    assert_eq!(
        decide_on("The Flat, 14 High Street", "flat ii 14 high st ls1 4ap"),
        Decision::Nothing
    );
    assert_eq!(
        decide_on("Victoria Garage, 14 High Street", "14 high st ls1 4ap"),
        Decision::One(0)
    );
    assert_eq!(
        decide_on("Rose Cottage, 14 High Street", "14 high st ls1 4ap"),
        Decision::One(0)
    );
}

#[test]
fn what_only_looks_alike_is_another() {
    for (stored, text) in [
        // A flat and a house of one number.
        ("2 High Street", "2, 2 high street leeds ls1 4ap"),
        ("1 High Street", "falt 1 1 high street leeds ls1 4ap"),
        // A longer street, and a kind that is not known.
        ("1 High Street Mews", "1 high street leeds ls1 4ap"),
        ("3 Church Lane Cottages", "3 church lane leeds ls1 4ap"),
        ("5 Church Road", "5 church farm ls1 4ap"),
        ("9 Harcourt Road", "9 harcourt wk ls1 4ap"),
        // Another postcode, and a second difference.
        ("12 Granville Road", "12 grenville road leeds ls1 4ab"),
        ("3 Mill Lane", "oak cottage 3 mill lane leeds ls1 4ab"),
    ] {
        assert_eq!(
            decide_on(stored, text),
            Decision::Nothing,
            "{stored}: {text}"
        );
    }
}

#[test]
fn what_stands_beside_is_another() {
    for (stored, text) in [
        // Something beside, above or in the house.
        ("12 High Street", "above 12 high street leeds ls1 4ap"),
        ("12 High Street", "bff 12 high street leeds ls1 4ap"),
        ("20 Park Road", "20 park road attic leeds ls1 4ap"),
        ("20 Park Road", "20 park road coach house ls1 4ap"),
        (
            "Second Floor, 83 High Street",
            "first and second floors 83 high street ls1 4ap",
        ),
        (
            "First And Second Floors, 83 High Street",
            "second floor 83 high street ls1 4ap",
        ),
        ("All Three Floors, 83 High Street", "83 high street ls1 4ap"),
        ("FlatB, 53 High Street", "53 high street ls1 4ap"),
        ("Top Left, 77 High Street", "77 high street ls1 4ap"),
        ("TFL, 77 High Street", "77 high street ls1 4ap"),
        (
            "Staff Accommodation, 46 High Street",
            "46 high street ls1 4ap",
        ),
        // A building of flats without the flat, and a building for a street.
        ("7 London Road", "albion court 7 london road leeds ls1 4ap"),
        ("12 High Street", "the mews, 12 high street ls1 4ap"),
        ("1 High Street", "1 high street apartments leeds ls1 4ap"),
        ("1 High Street", "1 high street works leeds ls1 4ap"),
        ("Flat 4, Mill Lane House", "flat 4 mill lane ls1 4ap"),
        ("1 Manor Farm Cottages", "1 manor farm ls1 4ap"),
        ("20 High Street", "baesment 20 high street leeds ls1 4ap"),
        ("20 High Street", "rearof 20 high street leeds ls1 4ap"),
        ("20 High Street", "blocka 20 high street leeds ls1 4ap"),
        (
            "Apartment 3, Kings Court, 11 Hill Terrace",
            "knit 3, kings court, hill terrace leeds ls1",
        ),
        (
            "Flat 3, Albert Court, 2 Albert Crescent",
            "3 albert leeds ls1 4ap",
        ),
        ("Flat 2, Church View", "flat 2 leeds ls1 4ap"),
        ("5 Grey Arcade, 9 Grey Lane", "5 grey leeds ls1 4ap"),
        ("Studio 2, Church View", "flat 2 church view leeds ls1 4ap"),
    ] {
        assert_eq!(
            decide_on(stored, text),
            Decision::Nothing,
            "{stored}: {text}"
        );
    }
}

#[test]
fn numbers_joined_by_a_word_are_no_flat() {
    for joint in ["or", "thru", "until", "_", "opposite", "x"] {
        let text = format!("12 {joint} 14 high street leeds ls1 4ap");
        assert_eq!(
            decide_on("Flat 12, 14 High Street", &text),
            Decision::Nothing,
            "{text}"
        );
    }
    for joint in ["", ",", "at"] {
        let text = format!("12 {joint} 14 high street leeds ls1 4ap");
        assert_eq!(
            decide_on("Flat 12, 14 High Street", &text),
            Decision::One(0),
            "{text}"
        );
    }
    assert_eq!(
        decide_on("12-14 High Street", "12_14 high street leeds"),
        Decision::One(0)
    );
}

#[test]
fn what_is_counted_like_a_flat_is_none() {
    for named in [
        "Villa", "House", "Cabin", "Plot", "Duplex", "Pitch", "Lodge", "Cottage",
    ] {
        let stored = format!("{named} 2, 64 High Street");
        let check = |text: &str, expected: Decision<usize>| {
            assert_eq!(decide_on(&stored, text), expected, "{stored}: {text}");
        };
        check("flat 2 64 high street leeds ls1 4ap", Decision::Nothing);
        check("64 high street leeds ls1 4ap", Decision::Nothing);
        check(
            &format!("{named} 2 64 high street leeds ls1 4ap"),
            Decision::One(0),
        );
        let text = format!("{named} 2, 64 high street leeds ls1 4ap");
        let flat = decide_on("Flat 2, 64 High Street", &text);
        assert_eq!(flat, Decision::Nothing, "{text}");
    }
    for beside in [
        "Cottage",
        "The Lodge",
        "The Coach House",
        "Stables",
        "Parking space",
    ] {
        for text in [
            format!("{beside} 26 high street leeds ls1 4ap"),
            format!("{beside}, 26 high street leeds ls1 4ap"),
        ] {
            assert_eq!(
                decide_on("26 High Street", &text),
                Decision::Nothing,
                "{text}"
            );
        }
        let stored = format!("{beside}, 26 High Street");
        if beside != "Parking space" {
            let text = format!("{beside} 26 high street leeds ls1 4ap");
            assert_eq!(decide_on(&stored, &text), Decision::One(0), "{text}");
            let text = "26 high street leeds ls1 4ap";
            assert_eq!(decide_on(&stored, text), Decision::Nothing, "{stored}");
        }
    }
    let house = decide_on("3 Mill Lane", "house 3 mill lane leeds ls1 4ap");
    assert_eq!(house, Decision::One(0));
}

#[test]
fn a_slash_in_scotland_is_only_a_slash() {
    let check = |stored: &str, text: &str, expected: Decision<usize>| {
        let display = format!("{stored}, Edinburgh, EH8 9AA");
        let known = Known {
            lines: [stored, "", "", ""],
            post_town: "Edinburgh",
            postcode: "EH8 9AA",
            display_address: &display,
        };
        let found = rank(&Query::parse(text), std::iter::once((0, known))).decision();
        assert_eq!(found, expected, "{stored}: {text}");
    };
    check(
        "31/6 Clerk Street",
        "31/6 clerk st eh8 9aa",
        Decision::One(0),
    );
    check(
        "31/6 Clerk Street",
        "flat 31 6 clerk st eh8 9aa",
        Decision::Nothing,
    );
    check(
        "31/6 Clerk Street",
        "31-6 clerk st eh8 9aa",
        Decision::Nothing,
    );
    check(
        "Flat 31, 6 Clerk Street",
        "31/6 clerk st eh8 9aa",
        Decision::Nothing,
    );
}

/// Which of several homes in Mill Lane or High Street, LS1 4AP, is meant.
fn decide_among(stored: &[&str], text: &str) -> Decision<usize> {
    let displays: Vec<String> = stored
        .iter()
        .map(|stored| format!("{stored}, Leeds, LS1 4AP"))
        .collect();
    let known = stored.iter().zip(&displays).map(|(stored, display)| Known {
        lines: [stored, "", "", ""],
        post_town: "Leeds",
        postcode: "LS1 4AP",
        display_address: display,
    });
    rank(&Query::parse(text), (0..).zip(known)).decision()
}

#[test]
fn a_part_of_an_address_may_mean_a_flat() {
    let flats = [
        "Flat 1",
        "Basement",
        "Room 3",
        "PF2",
        "The Lodge",
        "Lower Ground",
        "Managers Flat",
    ];
    for flat in flats {
        let flat = format!("{flat}, 12 Mill Lane");
        let stored = ["12 Mill Lane", flat.as_str(), "12A Mill Lane"];
        let check = |text: &str, expected: Decision<usize>| {
            assert_eq!(decide_among(&stored, text), expected, "{flat}: {text}");
        };
        check("12 mill lane, ls1 4ap", Decision::Several);
        check("12 mill lane, leeds", Decision::Several);
        check("12 mill ln leeds ls1 4ap", Decision::One(0));
        check("12a mill lane, leeds", Decision::One(2));
        check(&format!("{flat}, ls1 4ap"), Decision::One(1));
    }
}

#[test]
fn one_in_the_named_postcode_makes_no_other_near_certain() {
    let known = |line: &'static str, postcode: &'static str, display_address: &'static str| Known {
        lines: [line, "Morley", "", ""],
        post_town: "Leeds",
        postcode,
        display_address,
    };
    let near = known(
        "2 The Green",
        "LS6 0AQ",
        "2 The Green, Morley, Leeds, LS6 0AQ",
    );
    let named = known(
        "2 Green Drive",
        "LS6 0QQ",
        "2 Green Drive, Morley, Leeds, LS6 0QQ",
    );
    let decide = |homes: &[Known<'_>]| {
        let query = Query::parse("2 the green, morley, leeds, ls6 0qq");
        rank(&query, (0..).zip(homes.iter().copied())).decision()
    };
    assert_eq!(decide(&[near]), Decision::One(0));
    assert_eq!(decide(&[near, named]), Decision::Nothing);
}
