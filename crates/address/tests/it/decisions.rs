//! Which of a few neighbours is meant (S-7).

use address::{Candidate, Decision};

use crate::decide::{home, rank, rank_by_tokens, rows};

const HOMES: &str = "\
12 High Street, Morley, Leeds, LS27 4AP
12A High Street, Morley, Leeds, LS27 4AP
14-16 High Street, Morley, Leeds, LS27 4AP
Flat 1, 18 High Street, Morley, Leeds, LS27 4AP
Flat 2, 18 High Street, Morley, Leeds, LS27 4AP
Ground Floor Flat, 20 High Street, Morley, Leeds, LS27 4AP
Flat B, 22 High Street, Morley, Leeds, LS27 4AP
Apartment 3, Albion House, High Street, Morley, Leeds, LS27 4AQ
3 High Street, Morley, Leeds, LS27 4AR
Rose Cottage, Mill Lane, Morley, Leeds, LS27 9QQ
Rose House, Mill Lane, Morley, Leeds, LS27 9QQ
24 Bristol Road, Gloucester, GL1 5SA
24 Gloucester Road, Bristol, BS7 8AA
7 St John\u{2019}s Road, Leeds, LS1 2AB
7 Second Avenue, Leeds, LS1 2AD
30 Green Crescent, Leeds, LS1 2AE";

/// Typed texts and the index of the home that each means.
const MEANT: &str = "
12 High Street, Morley, Leeds, LS27 4AP | 0
12 high st morley | 0
12 High St LS27 | 0
12 high street ls274ap | 0
12 LS27 4AP | 0
LS27 4AP 12 High Street | 0
High Street 12, Morley | 0
12 Hihg Street, Morley | 0
No. 12, High Street, Morley, Leeds | 0
12 Highstreet, Morley | 0
12 High Street, Morley, LS27 4AX | 0
12 High Street, Morley, LS27 4AC | 0
12 High Street, Morley, LS27 4PA | 0
The Smith Family, 12 High Street, Morley, LS27 4AP | 0
12a high street morley | 1
12 A High Street, Morley | 1
Flat A, 12 High Street, Morley | 1
14 to 16 High Street, Morley | 2
14/16 High Street, Morley | 2
14 High Street, Morley, Leeds, LS27 4AP | 2
14 & 16 High Street, Morley | 2
Flat 1, 18 High Street, Morley | 3
1/18 High Street, Morley | 3
Apt 2 18 high st morley | 4
18 High Street, Flat 2, Morley | 4
flat2 18 High Street Morley | 4
Ground Floor, 20 High Street, Morley | 5
Flat Ground Floor, 20 High Street, Morley | 5
22B High Street, Morley | 6
Flat 3, Albion House, High Street, Morley | 7
3 Albion House, High Street, Morley | 7
3 High Street, Morley | 8
Rose Cottage, Mill Lane, Morley | 9
rose cottage mill ln leeds | 9
Rose House, LS27 9QQ | 10
24 Bristol Rd, Gloucester | 11
24 Gloucester Rd, Bristol | 12
7 St. John's Rd, Leeds | 13
7 Saint Johns Road, Leeds | 13
7St Johns Road, Leeds | 13
7 2nd Ave, Leeds | 14
";

/// Typed texts that mean none of the homes.
const OTHERS: &str = "\
# Another number, letter or flat, one too many or one too few.
13 High Street, Morley, Leeds, LS27 4AP
12B High Street, Morley, Leeds, LS27 4AP
15 High Street, Morley, Leeds, LS27 4AP
14-18 High Street, Morley, Leeds, LS27 4AP
18 High Street, Morley, Leeds, LS27 4AP
Flat 3, 18 High Street, Morley, Leeds, LS27 4AP
Flat 1, 12 High Street, Morley, Leeds, LS27 4AP
First Floor Flat, 20 High Street, Morley, LS27 4AP
20 High Street, Morley, LS27 4AP
Annexe, 12 High Street, Morley, LS27 4AP
Plot 12, High Street, Morley, LS27 4AP
Unit 1, 18 High Street, Morley, LS27 4AP
# A part that looks like a number and is not understood.
12½ High Street, Morley, LS27 4AP
½ High Street, Morley, LS27 4AP
١٢ High Street, Morley, LS27 4AP
12-14-16 High Street, Morley, LS27 4AP
12BG High Street, Morley, LS27 4AP
4/14-16 High Street, Morley, LS27 4AP
12BHigh Street, Morley, LS27 4AP
# Another street, town or postcode.
12 Low Street, Morley, LS27 4AP
12 High Street, Scunthorpe
12 High Street North, Morley
12 High Lane, Morley
12 High Street, Morley, LS28 4AP
12 High Street, Morley, LS27 9ZZ
24 Bristol Road, Bristol
30 The Green, Leeds, LS1 2AE
# Another house.
Rose Farm, Mill Lane, Morley
Ivy Cottage, Mill Lane, Morley
Rose Cottage Annexe, Mill Lane, Morley
Apartment 3, Albert House, High Street, Morley, LS27 4AQ";

/// Texts that fit homes and say too little, and whether they fit several.
const TOO_LITTLE: &str = "
12 High Street | one
14 High Street, Morley, Leeds | one
14 Bristol Road | none
24 Bristol Road | one
Flat 3, High Street, Morley | one
High Street | several
High Street, Morley, Leeds, LS27 4AP | several
Mill Lane, Morley | several
Mill Lane | several
Leeds | one
12 | one
";

fn homes(addresses: &str) -> Vec<Candidate<usize>> {
    let addresses = addresses.lines().enumerate();
    addresses.map(|(id, address)| home(id, address)).collect()
}

#[test]
fn the_home_that_is_meant() {
    let homes = homes(HOMES);
    for (text, id) in rows(MEANT) {
        let expected = Decision::One(id.parse().unwrap());
        assert_eq!(rank(&homes, text).decision(), expected, "{text}");
    }
}

#[test]
fn another_home_is_never_meant() {
    let homes = homes(HOMES);
    for text in OTHERS.lines().filter(|text| !text.starts_with('#')) {
        assert_eq!(rank(&homes, text).decision(), Decision::Nothing, "{text}");
    }
}

#[test]
fn a_text_that_says_too_little_is_told_so() {
    let homes = homes(HOMES);
    for (text, expected) in rows(TOO_LITTLE) {
        let expected = match expected {
            "several" => Decision::Several,
            "one" => Decision::TooLittle,
            _ => Decision::Nothing,
        };
        assert_eq!(rank_by_tokens(&homes, text).decision(), expected, "{text}");
    }
}

#[test]
fn two_of_one_address_are_several() {
    let mut homes = homes("12 High Street, Leeds, LS1 4AP\n12 High Street, Leeds, LS1 4AP");
    homes.reverse();
    let ranking = rank(&homes, "12 High Street, Leeds");
    assert_eq!(ranking.decision(), Decision::Several);
    let ids: Vec<usize> = ranking.ranked.iter().map(|ranked| ranked.id).collect();
    assert_eq!(ids, [0, 1]);
}

#[test]
fn a_verified_home_beats_others_that_fit_equally_well() {
    let mut homes = homes(
        "12 High Street, Leeds, LS1 4AP\n12 High St, Leeds, LS1 4AP\n12 High Street, Leeds, LS1 4AP\n\
         14 High Street, Leeds, LS1 4AP",
    );
    let decide = |homes: &[_], text| rank(homes, text).decision();
    for verified in 0..3 {
        homes[verified].is_verified = true;
        assert_eq!(
            decide(&homes, "12 high str leeds ls14ap"),
            Decision::One(verified)
        );
        let ranking = rank(&homes, "12 high str leeds ls14ap");
        assert_eq!(ranking.ranked[0].id, verified);
        homes[verified].is_verified = false;
    }
    // One that fits worse, or two verified ones, change nothing.
    homes[3].is_verified = true;
    assert_eq!(
        decide(&homes, "12 high street leeds ls1 4ap"),
        Decision::Several
    );
    homes[0].is_verified = true;
    homes[2].is_verified = true;
    assert_eq!(
        decide(&homes, "12 high street leeds ls1 4ap"),
        Decision::Several
    );
}

#[test]
fn a_part_of_an_address_may_mean_a_flat() {
    let flats = "Flat 1|Basement|Room 3|PF2|The Lodge|Lower Ground|Managers Flat";
    for flat in flats.split('|') {
        let place = "12 Mill Lane, Leeds, LS1 4AP";
        let other = "12A Mill Lane, Leeds, LS1 4AP";
        let homes = homes(&format!("{place}\n{flat}, {place}\n{other}"));
        for (text, expected) in [
            ("12 mill lane, ls1 4ap", Decision::Several),
            ("12 mill lane, leeds", Decision::Several),
            ("12 mill ln leeds ls1 4ap", Decision::One(0)),
            ("12a mill lane, leeds", Decision::One(2)),
            (&format!("{flat}, 12 mill lane, ls1 4ap"), Decision::One(1)),
        ] {
            assert_eq!(rank(&homes, text).decision(), expected, "{flat}: {text}");
        }
    }
}

#[test]
fn an_unverified_flat_does_not_hide_a_verified_house() {
    let mut homes = homes("12 Mill Lane, Leeds, LS1 4AP\nFlat 1, 12 Mill Lane, Leeds, LS1 4AP");
    homes[0].is_verified = true;
    let decide = |homes: &[_]| rank(homes, "12 mill lane, ls1 4ap").decision();
    assert_eq!(decide(&homes), Decision::One(0));
    homes[1].is_verified = true;
    assert_eq!(decide(&homes), Decision::Several);
}

#[test]
fn one_in_the_named_postcode_makes_no_other_near_certain() {
    let homes = homes("2 The Green, Morley, Leeds, LS6 0AQ\n2 Green Drive, Morley, Leeds, LS6 0QQ");
    let decide = |homes| rank(homes, "2 the green, morley, leeds, ls6 0qq").decision();
    assert_eq!(decide(&homes[..1]), Decision::One(0));
    assert_eq!(decide(&homes), Decision::Nothing);
}
