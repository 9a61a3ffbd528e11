//! One spelling for addresses and postcodes (S-7).

use address::{names_number, normalise, postcode, postcode_spaced};
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

#[test]
fn normalising() {
    let check = |text: &str, expected: &str| {
        assert_eq!(normalise(text), expected, "{text:?}");
    };
    check("", "");
    check(" ,;- ", "");
    check(
        "12 High Street, Leeds, LS1 4AP",
        "12 HIGH STREET LEEDS LS14AP",
    );
    check("12 high street leeds ls14ap", "12 HIGH STREET LEEDS LS14AP");
    check(
        "  12\tHigh\u{a0}Street\nLeeds  LS1   4AP. ",
        "12 HIGH STREET LEEDS LS14AP",
    );
    check("St. John's Wood", "ST JOHNS WOOD");
    check("St John\u{2019}s, King`s", "ST JOHNS KINGS");
    check("Llŷn Tŷ-Gwyn", "LLYN TY GWYN");
    check("ŴYÂËÏÔÛẀẂẄỲŶÝ", "WYAEIOUWWWYYY");
    check("Cafe\u{301} Île", "CAFE ILE");
    check("Straße Æ œ Ø þ", "STRASSE AE OE O TH");
    check("Flat 2/1a (rear)", "FLAT 2 1A REAR");
    check("12-14 Park Row", "12 14 PARK ROW");
    check("LS1 4AP", "LS14AP");
    check("ls1-4ap", "LS14AP");
    // Only at the end, and only a full postcode.
    check("LS1 4AP Leeds", "LS1 4AP LEEDS");
    check("Park Row LS1", "PARK ROW LS1");
    check("Park Row LS 1 4AP", "PARK ROW LS 1 4AP");
    check("Park Row LS1 4AC", "PARK ROW LS1 4AC");
    check("Flat 1 W1A 1AA", "FLAT 1 W1A1AA");
    check("Flat 1A 1AA", "FLAT 1A 1AA");
    check("Αθήνα 7", "ΑΘΉΝΑ 7");
}

#[test]
fn a_postcode_is_read_in_any_case_and_spacing() {
    let check = |text: &str, compact: Option<&str>, spaced: Option<&str>| {
        assert_eq!(postcode(text).as_deref(), compact, "{text:?}");
        assert_eq!(postcode_spaced(text).as_deref(), spaced, "{text:?}");
    };
    for text in [
        "LS1 4AP",
        "ls14ap",
        " Ls1  4aP ",
        "LS1-4AP",
        "LS 1 4AP",
        "LS1 4 AP",
    ] {
        check(text, Some("LS14AP"), Some("LS1 4AP"));
    }
    check("M1 1AE", Some("M11AE"), Some("M1 1AE"));
    check("b338th", Some("B338TH"), Some("B33 8TH"));
    check("w1a1hq", Some("W1A1HQ"), Some("W1A 1HQ"));
    check("CR2 6XH", Some("CR26XH"), Some("CR2 6XH"));
    check("DN55 1PT", Some("DN551PT"), Some("DN55 1PT"));
    check("ec1a1bb", Some("EC1A1BB"), Some("EC1A 1BB"));
    check("gir0aa", Some("GIR0AA"), Some("GIR 0AA"));
    check("ze2 9th", Some("ZE29TH"), Some("ZE2 9TH"));
    for text in [
        "",
        "4AP",
        "LS1",
        "LS1 4A",
        "LS1 4APP",
        "LS1 AAP",
        "LS1 4CP",
        "LS1 4A1",
        "LS111 4AP",
        "L 4AP",
        "LSS1 4AP",
        "1S1 4AP",
        "QS1 4AP",
        "LJ1 4AP",
        "LS1C 4AP",
        "W1I 4AP",
        "LS1A1 4AP",
        "GIR 0AB",
        "Leeds LS1 4AP",
        "1 LS1 4AP",
        "A B1 4AP",
        "LS1 4AP LS1 4AP",
        "ΛS1 4AP",
        "LS١ 4AP",
    ] {
        check(text, None, None);
    }
}

/// Each letter in each place of the grammar.
#[test]
fn the_letters_of_a_postcode() {
    let check = |before: &str, after: &str, allowed: &str| {
        for letter in 'A'..='Z' {
            let text = format!("{before}{letter}{after}");
            assert_eq!(
                postcode(&text).is_some(),
                allowed.contains(letter),
                "{text}"
            );
        }
    };
    check("", "1 1AA", "ABCDEFGHIJKLMNOPRSTUWYZ");
    check("A", "1 1AA", "ABCDEFGHKLMNOPQRSTUVWXY");
    check("A1", " 1AA", "ABCDEFGHJKPSTUW");
    check("AA1", " 1AA", "ABEHMNPRVWXY");
    check("A1 1", "A", "ABDEFGHJLNPQRSTUWXYZ");
    check("A1 1A", "", "ABDEFGHJLNPQRSTUWXYZ");
}

#[test]
fn a_number_is_named_outside_the_postcode() {
    let check = |text: &str, expected: bool| {
        assert_eq!(names_number(text), expected, "{text:?}");
        assert_eq!(names_number(&normalise(text)), expected, "{text:?}");
    };
    check("", false);
    check("LS1 4AP", false);
    check("Rose Cottage, Leeds LS1 4AP", false);
    check("Rose Cottage, Leeds ls14ap", false);
    check("12 High Street", true);
    check("Flat 2b Rose Cottage LS1 4AP", true);
    check("Park Row LS1", true);
    check("LS1 4AP Leeds", true);
    check("½ High Street LS1 4AP", true);
    check("١٢ High Street LS1 4AP", true);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn normalising_twice_changes_nothing_more(text in any::<String>()) {
        let once = normalise(&text);
        prop_assert_eq!(normalise(&once), once.clone());
        prop_assert!(!once.contains("  ") && once.trim() == once);
    }

    #[test]
    fn case_and_punctuation_are_forgiven(
        words in proptest::collection::vec("[a-zâêŵŷé0-9]{1,6}", 0..6),
        gaps in proptest::collection::vec("[ ,.;/-]{1,3}", 6),
    ) {
        let plain = words.join(" ");
        let mut typed = String::new();
        for (word, gap) in words.iter().zip(&gaps) {
            typed.push_str(gap);
            typed.push_str(&word.to_uppercase());
        }
        prop_assert_eq!(normalise(&typed), normalise(&plain));
    }

    #[test]
    fn a_postcode_ends_an_address_with_or_without_its_space(
        street in "[A-Z]{4,9} [A-Z]{4,9}",
        outward in "[A-PR-UWYZ][0-9][0-9]?|[A-PR-UWYZ][A-HK-Y][0-9][0-9]?",
        inward in "[0-9][ABD-HJLNP-UW-Z]{2}",
    ) {
        let expected = format!("{street} {outward}{inward}");
        prop_assert_eq!(normalise(&format!("{street}, {outward} {inward}")), expected.clone());
        prop_assert_eq!(normalise(&expected.to_lowercase()), expected.clone());
        prop_assert_eq!(
            postcode_spaced(&format!("{outward}{inward}")),
            Some(format!("{outward} {inward}"))
        );
        prop_assert!(!names_number(&expected));
    }
}
