//! Numbers of ranges, letters of flats, and houses by their names, where no other home claims them
//! (S-7).

use address::{Candidate, Decision, Query, search};

use crate::decide::{check, home, rank, rows};

const MEANT: &str = "
# A house by its name, without its number.
Oak House, 1 Saxon Way | oak house saxon way leeds ls1 4ap
Oak House, 1-5 Saxon Way | oak house, saxon way, ls1 4ap
Oak House, 1 Saxon Way | OAK HSE SAXON WY WEST YORKSHIRE LS1 4AP
# A flat of a named building, without the street's number.
A15 Forster Court, 7 Babbage Road | a15 forster court babbage road ls1 4ap
Flat 3, Forster Court, 7 Babbage Road | flat 3 forster court babbage road ls1 4ap
# A number of a range, and a range of which one number is known.
101-103 Redland Road | 101 redland road ls1 4ap
101-105 Redland Road | 103 redland road ls1 4ap
8-9 Redland Road | 9 redland road ls1 4ap
Flat 4, 162-164 Lordship Road | flat 4 164 lordship road ls1 4ap
Flat A, 162-164 Lordship Road | flat a 164 lordship road ls1 4ap
101 Redland Road | 101-103 redland road ls1 4ap
# A letter that stands for a flat.
202B, 202 Brooke Road | 202b brooke road ls1 4ap
202B Brooke Road | 202b, 202 brooke road ls1 4ap
853A Romford Road | flat a 853 romford road ls1 4ap
Flat A, 853 Romford Road | 853a romford road ls1 4ap
# A building's name with a word more or less.
Flat 36, Balfron Tower, 7 St Leonards Road | flat 36 balfron st leonards rd ls1 4ap
Flat 36, Balfron Tower, St Leonards Road | flat 36 balfron heights tower st leonards rd ls1 4ap
Flat 36, Balfron Tower, Teviot Estate, St Leonards Road | flat 36 balfron tower st leonards rd ls1 4ap
Oak Tree House, Saxon Way | oak house saxon way ls1 4ap
Oak House, 1 Saxon Way | oak tree house saxon way ls1 4ap
Park Garage, 1 Saxon Way | park garage saxon way ls1 4ap
";

const OTHERS: &str = "
# Without the full postcode.
Oak House, 1 Saxon Way | oak house saxon way ls1
101-103 Redland Road | 101 redland road leeds
# Another street, another flat, and a flat that was left out.
Oak House, 1 Saxon Way | oak house saxon road leeds ls1 4ap
Oak House, 1 Saxon Way | oak house mill lane ls1 4ap
Flat 3, Forster Court, 7 Babbage Road | flat 4 forster court babbage road ls1 4ap
A15 Forster Court, 7 Babbage Road | a16 forster court babbage road ls1 4ap
A15 Forster Court, 7 Babbage Road | forster court babbage road ls1 4ap
Flat 3, Forster Court, 7 Babbage Road | forster court babbage road ls1 4ap
# The other side of the street, a number behind the range, and a range of flats.
101-103 Redland Road | 102 redland road ls1 4ap
101-103 Redland Road | 105 redland road ls1 4ap
101-103 Redland Road | 101-105 redland road ls1 4ap
101-103 Redland Road | 101a redland road ls1 4ap
Flats 1-6, 12 Redland Road | flat 3 12 redland road ls1 4ap
# Another letter, and none.
202B, 202 Brooke Road | 202c brooke road ls1 4ap
202B, 202 Brooke Road | 202 brooke road ls1 4ap
853A Romford Road | flat b 853 romford road ls1 4ap
# Another building of a similar name.
Oak House, 1 Saxon Way | oak lodge saxon way ls1 4ap
Oak House, 1 Saxon Way | old oak house saxon way ls1 4ap
Oak House, 1 Saxon Way | oak house cottage saxon way ls1 4ap
Oak House Annexe, 1 Saxon Way | oak house saxon way ls1 4ap
Oak House, 1 Saxon Way | elm oak tree house saxon way ls1 4ap
The Edgcumbe, 1 Saxon Way | larkspur edgcumbe saxon way ls1 4ap
Leeds Museum, 1 Saxon Way | leeds saxon way ls1 4ap
Flat 24, Unity House, Unity Place | flat 24 pemberley house unity place ls1 4ap
Flat 36, Balfron Tower, 7 St Leonards Road | flat 36 carradale tower st leonards rd ls1 4ap
";

/// A stored home, another one that may be meant as well, and a typed text.
const CLAIMED: &str = "
101-103 Redland Road; Flat 1, 101 Redland Road | 101 redland road ls1 4ap
101-103 Redland Road; 103-105 Redland Road | 103 redland road ls1 4ap
101 Redland Road; 103 Redland Road | 101-103 redland road ls1 4ap
101 Redland Road; Flat 2, 103 Redland Road | 101-103 redland road ls1 4ap
202B, 202 Brooke Road; 202B Brooke Road | 202b brooke road ls1 4ap
Oak House, 1 Saxon Way; Flat 2, Oak House, 1 Saxon Way | oak house saxon way ls1 4ap
Oak House, 1 Saxon Way; Oak House, 3 Saxon Way | oak house saxon way ls1 4ap
Oak Tree House, Saxon Way; Oak Hill House, Saxon Way | oak house saxon way ls1 4ap
";

fn place(address: &str, id: usize) -> Candidate<usize> {
    home(id, &format!("{address}, Leeds, LS1 4AP"))
}

#[test]
fn a_home_is_found_by_what_no_other_claims() {
    check(MEANT, Decision::One(0));
}

#[test]
fn another_home_is_never_meant() {
    for (stored, text) in rows(OTHERS) {
        let decision = rank(&[place(stored, 0)], text).decision();
        assert!(!matches!(decision, Decision::One(_)), "{stored}: {text}");
    }
}

#[test]
fn what_another_home_claims_leads_to_none() {
    for (stored, text) in rows(CLAIMED) {
        let (first, second) = stored.split_once("; ").unwrap();
        let mut homes = [place(first, 0), place(second, 1)];
        for verified in [false, true] {
            homes[0].is_verified = verified;
            let ranking = rank(&homes, text);
            let is_sure = first.starts_with("202B") && verified;
            assert_eq!(
                ranking.exact_decision().is_some(),
                is_sure,
                "{stored}: {text}"
            );
            if !verified {
                assert_eq!(ranking.decision(), Decision::Several, "{stored}: {text}");
            }
        }
    }
}

#[test]
fn the_home_with_the_very_number_comes_first() {
    let homes = [
        place("101-103 Redland Road", 0),
        place("103 Redland Road", 1),
    ];
    for (text, id) in [("101", 0), ("103", 1), ("101-103", 0)] {
        let ranking = rank(&homes, &format!("{text} redland road ls1 4ap"));
        assert_eq!(ranking.decision(), Decision::One(id), "{text}");
        assert_eq!(ranking.exact_decision().is_some(), text != "101", "{text}");
    }
}

/// A postcode with more homes than one answer of the store may hold others that claim the number.
#[test]
fn nothing_is_claimed_in_a_postcode_that_is_cut_off() {
    let mut homes = vec![place("101-103 Redland Road", 0)];
    homes.extend((1..200).map(|id| place(&format!("{} Redland Road", id + 200), id)));
    for (count, expected) in [(100, Decision::One(0)), (200, Decision::Nothing)] {
        let query = Query::parse("101 redland road ls1 4ap");
        let Ok(ranking) = search(&query, |_, limit| {
            let found = homes.iter().take(count.min(limit)).cloned();
            Ok::<_, std::convert::Infallible>(found.collect())
        });
        assert_eq!(ranking.decision(), expected, "{count}");
    }
}

#[test]
fn a_county_that_is_not_stored_says_nothing_against_a_house() {
    let homes = [home(
        0,
        "Dovecote House, Lancaster Lane, Guildford, GU1 1AA",
    )];
    for county in ["", ", Surrey", ", Hampshire"] {
        let text = format!("Dovecote House, Lancaster Lane, Guildford{county}");
        assert_eq!(rank(&homes, &text).decision(), Decision::One(0), "{text}");
    }
    let other = [home(
        0,
        "Dovecote House, Lancaster Lane, Newport, Gwent, NP1 1AA",
    )];
    let text = "Dovecote House, Lancaster Lane, Newport, Shropshire";
    let decision = rank(&other, text).decision();
    assert!(!matches!(decision, Decision::One(_)), "{decision:?}");
}
