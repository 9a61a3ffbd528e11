//! Which of a few neighbours is meant (S-7).

use address::{Decision, Known, Query, rank};

/// Lines, parted by a slash, then town and postcode.
const HOMES: [(&str, &str, &str); 16] = [
    ("12 High Street/Morley", "Leeds", "LS27 4AP"),
    ("12A High Street/Morley", "Leeds", "LS27 4AP"),
    ("14-16 High Street/Morley", "Leeds", "LS27 4AP"),
    ("Flat 1/18 High Street/Morley", "Leeds", "LS27 4AP"),
    ("Flat 2/18 High Street/Morley", "Leeds", "LS27 4AP"),
    (
        "Ground Floor Flat/20 High Street/Morley",
        "Leeds",
        "LS27 4AP",
    ),
    ("Flat B/22 High Street/Morley", "Leeds", "LS27 4AP"),
    (
        "Apartment 3/Albion House/High Street/Morley",
        "Leeds",
        "LS27 4AQ",
    ),
    ("3 High Street/Morley", "Leeds", "LS27 4AR"),
    ("Rose Cottage/Mill Lane/Morley", "Leeds", "LS27 9QQ"),
    ("Rose House/Mill Lane/Morley", "Leeds", "LS27 9QQ"),
    ("24 Bristol Road", "Gloucester", "GL1 5SA"),
    ("24 Gloucester Road", "Bristol", "BS7 8AA"),
    ("7 St John\u{2019}s Road", "Leeds", "LS1 2AB"),
    ("7 Second Avenue", "Leeds", "LS1 2AD"),
    ("30 Green Crescent", "Leeds", "LS1 2AE"),
];

fn decide(text: &str) -> Decision<usize> {
    let known: Vec<([String; 4], String)> = HOMES
        .iter()
        .map(|(lines, town, postcode)| {
            let mut parts = lines.split('/').map(str::to_owned);
            let lines = [(); 4].map(|()| parts.next().unwrap_or_default());
            let display = format!("{}, {town}, {postcode}", separated(&lines));
            (lines, display)
        })
        .collect();
    let candidates = known.iter().zip(HOMES).enumerate();
    let candidates = candidates.map(|(id, ((lines, display), (_, town, postcode)))| {
        let known = Known {
            lines: [&lines[0], &lines[1], &lines[2], &lines[3]],
            post_town: town,
            postcode,
            display_address: display,
        };
        (id, known)
    });
    rank(&Query::parse(text), candidates).decision()
}

fn separated(lines: &[String; 4]) -> String {
    let filled: Vec<&str> = lines
        .iter()
        .map(String::as_str)
        .filter(|line| !line.is_empty())
        .collect();
    filled.join(", ")
}

#[test]
fn the_home_that_is_meant() {
    let check = |text: &str, expected: usize| {
        assert_eq!(decide(text), Decision::One(expected), "{text:?}");
    };
    check("12 High Street, Morley, Leeds, LS27 4AP", 0);
    check("12 high st morley", 0);
    check("12 High St LS27", 0);
    check("12 high street ls274ap", 0);
    check("12 LS27 4AP", 0);
    check("LS27 4AP 12 High Street", 0);
    check("High Street 12, Morley", 0);
    check("12 Hihg Street, Morley", 0);
    check("No. 12, High Street, Morley, Leeds", 0);
    check("12 Highstreet, Morley", 0);
    check("12 High Street, Morley, LS27 4AX", 0);
    check("12 High Street, Morley, LS27 4AC", 0);
    check("12 High Street, Morley, LS27 4PA", 0);
    check("The Smith Family, 12 High Street, Morley, LS27 4AP", 0);
    check("12a high street morley", 1);
    check("12 A High Street, Morley", 1);
    check("Flat A, 12 High Street, Morley", 1);
    check("14 to 16 High Street, Morley", 2);
    check("14/16 High Street, Morley", 2);
    check("14 & 16 High Street, Morley", 2);
    check("Flat 1, 18 High Street, Morley", 3);
    check("1/18 High Street, Morley", 3);
    check("Apt 2 18 high st morley", 4);
    check("18 High Street, Flat 2, Morley", 4);
    check("flat2 18 High Street Morley", 4);
    check("Ground Floor, 20 High Street, Morley", 5);
    check("Flat Ground Floor, 20 High Street, Morley", 5);
    check("22B High Street, Morley", 6);
    check("Flat 3, Albion House, High Street, Morley", 7);
    check("3 Albion House, High Street, Morley", 7);
    check("3 High Street, Morley", 8);
    check("Rose Cottage, Mill Lane, Morley", 9);
    check("rose cottage mill ln leeds", 9);
    check("Rose House, LS27 9QQ", 10);
    check("24 Bristol Rd, Gloucester", 11);
    check("24 Gloucester Rd, Bristol", 12);
    check("7 St. John's Rd, Leeds", 13);
    check("7 Saint Johns Road, Leeds", 13);
    check("7St Johns Road, Leeds", 13);
    check("7 2nd Ave, Leeds", 14);
}

#[test]
fn never_another_home() {
    let check = |text: &str| assert_eq!(decide(text), Decision::Nothing, "{text:?}");
    // Another number, letter or flat, one too many or one too few.
    check("13 High Street, Morley, Leeds, LS27 4AP");
    check("12B High Street, Morley, Leeds, LS27 4AP");
    check("14 High Street, Morley, Leeds, LS27 4AP");
    check("14-18 High Street, Morley, Leeds, LS27 4AP");
    check("18 High Street, Morley, Leeds, LS27 4AP");
    check("Flat 3, 18 High Street, Morley, Leeds, LS27 4AP");
    check("Flat 1, 12 High Street, Morley, Leeds, LS27 4AP");
    check("First Floor Flat, 20 High Street, Morley, LS27 4AP");
    check("20 High Street, Morley, LS27 4AP");
    check("Annexe, 12 High Street, Morley, LS27 4AP");
    check("Plot 12, High Street, Morley, LS27 4AP");
    check("Unit 1, 18 High Street, Morley, LS27 4AP");
    check("High Street, Morley, Leeds, LS27 4AP");
    check("Flat 3, High Street, Morley");
    // What looks like a number and is not understood.
    check("12½ High Street, Morley, LS27 4AP");
    check("12-14-16 High Street, Morley, LS27 4AP");
    check("12BG High Street, Morley, LS27 4AP");
    check("4/14-16 High Street, Morley, LS27 4AP");
    check("12BHigh Street, Morley, LS27 4AP");
    // Another street, town or postcode.
    check("12 Low Street, Morley, LS27 4AP");
    check("12 High Street, Scunthorpe");
    check("12 High Street");
    check("12 High Street North, Morley");
    check("12 High Lane, Morley");
    check("12 High Street, Morley, LS28 4AP");
    check("12 High Street, Morley, LS27 9ZZ");
    check("24 Bristol Road, Bristol");
    check("30 The Green, Leeds, LS1 2AE");
    // Another house.
    check("Rose Farm, Mill Lane, Morley");
    check("Ivy Cottage, Mill Lane, Morley");
    check("Mill Lane, Morley");
    check("Rose Cottage Annexe, Mill Lane, Morley");
    check("Apartment 3, Albert House, High Street, Morley, LS27 4AQ");
}

#[test]
fn two_of_one_address_are_several() {
    let known = Known {
        lines: ["12 High Street", "", "", ""],
        post_town: "Leeds",
        postcode: "LS1 4AP",
        display_address: "12 High Street, Leeds, LS1 4AP",
    };
    let query = Query::parse("12 High Street, Leeds");
    let ranking = rank(&query, [(2, known), (1, known)].into_iter());
    assert_eq!(ranking.decision(), Decision::Several);
    let ids: Vec<i32> = ranking.ranked.iter().map(|ranked| ranked.id).collect();
    assert_eq!(ids, [1, 2]);
}
