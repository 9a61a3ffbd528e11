//! Ways of typing an address that lead to the home that is meant (S-7).

use crate::lookalikes::decide_on;
use address::Decision;

#[test]
fn numbers_and_flats_in_other_words() {
    for (stored, text) in [
        ("12 High Street", "12highst leeds"),
        ("12 High Street", "12 highstreet leeds ls1 4ap"),
        ("12 High Street", "twelve high street leeds ls1 4ap"),
        ("One Tower Wharf", "1 tower wharf ls1 4ap"),
        ("12A High Street", "12(a) high street ls1 4ap"),
        ("Flat 3, 20 Park Road", "f3, 20 park road ls1 4ap"),
        ("Flat 3, 20 Park Road", "flat: 3, 20 park road ls1 4ap"),
        (
            "Flat 3, 20 Park Road",
            "studio flat 3, 20 park road ls1 4ap",
        ),
        ("Flat 3, 20 Park Road", "falt 3 20 park road ls1 4ap"),
        ("Flat 3, 20 Park Road", "appartment 3 20 park road ls1 4ap"),
        ("Flat 6/22 Park Road", "flat 6 22 park road ls1 4ap"),
        (
            "Albion House, Flat 8, Park Road",
            "flat 8 albion house ls1 4ap",
        ),
        ("12 Park Road", "rose cottage, 12 park road ls1 4ap"),
        ("Studio, 20 Park Road", "studio flat 20 park road ls1 4ap"),
        (
            "Penthouse, 20 Park Road",
            "penthouse apartment 20 park road ls1 4ap",
        ),
        (
            "Ground Floor Flat, 20 Park Road",
            "gf flat, 20 park road ls1 4ap",
        ),
        (
            "Ground Floor Flat, 20 Park Road",
            "ground-floor flat 20 park road ls1 4ap",
        ),
        (
            "First Floor Flat, 20 Park Road",
            "fisrt floor flat 20 park road ls1 4ap",
        ),
        (
            "Flat 3, Block 2, Mill Wharf",
            "block 2 flat 3 mill wharf ls1 4ap",
        ),
        ("B1, 39 Park Road", "flat b1 39 park road ls1 4ap"),
        ("A, 14 Park Road", "14a park road ls1 4ap"),
        ("A, 14 Park Road", "flat a 14 park road ls1 4ap"),
    ] {
        assert_eq!(
            decide_on(stored, text),
            Decision::One(0),
            "{stored}: {text}"
        );
    }
}

#[test]
fn short_forms_and_persons() {
    for (stored, text) in [
        ("7 Oak Drive", "7 oak dve leeds w yorks"),
        ("7 Oak Drive", "7 oak dv leeds w. yorkshire ls1 4ap"),
        ("7 Oak Crescent", "7 oak crsnt leeds"),
        ("7 Oak Cottages", "7 oak cotts leeds ls1 4ap"),
        ("7 Oak Road North", "7 oak rd n leeds"),
        ("7 Oak Drive", "7 oak drive leeds ls1 4ap great britain"),
        ("7 Oak Drive", "7 oak drive leeds ls1 lap"),
        (
            "The Old Rectory, Church Lane",
            "mr j smith the old rectory church lane ls1 4ap",
        ),
        (
            "The Old Rectory, Church Lane",
            "c/o smith, the old rectory, church lane, ls1 4ap",
        ),
        ("Sea View, Church Lane", "seaview church lane ls1 4ap"),
        (
            "Oak Tree House, Church Lane",
            "oaktree house church lane ls1 4ap",
        ),
    ] {
        assert_eq!(
            decide_on(stored, text),
            Decision::One(0),
            "{stored}: {text}"
        );
    }
    // Who lives there says nothing; another house beside does.
    let text = "ivy cottage the old rectory church lane ls1 4ap";
    let found = decide_on("The Old Rectory, Church Lane", text);
    assert_eq!(found, Decision::Nothing, "{text}");
}

#[test]
fn blocks_and_neighbours_are_others() {
    for (stored, text) in [
        (
            "Apartment 4, Building C, 20 Mill Lane",
            "apt 4 building b 20 mill lane ls1 4ap",
        ),
        (
            "Apartment 4, Building C, 20 Mill Lane",
            "apt 4, 20 mill lane ls1 4ap",
        ),
        ("Flat 9, Tower 2, Dock Street", "flat 9 dock street ls1 4ap"),
        ("12 Mill Lane", "near 12 mill lane leeds ls1 4ap"),
        (
            "The Old Bakery, 12 High Street",
            "the old brewery 12 high street ls1 4ap",
        ),
    ] {
        assert_eq!(
            decide_on(stored, text),
            Decision::Nothing,
            "{stored}: {text}"
        );
    }
}
