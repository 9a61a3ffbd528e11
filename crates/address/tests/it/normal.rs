//! One spelling for addresses and postcodes (S-7).

use address::{normalise, postcode, postcode_spaced};
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

#[test]
fn addresses_have_one_spelling() {
    let plain = "12 HIGH STREET LEEDS LS14AP";
    for (text, expected) in [
        ("", ""),
        (" ,;- ", ""),
        ("12 High Street, Leeds, LS1 4AP", plain),
        ("12 high street leeds ls14ap", plain),
        ("  12\tHigh\u{a0}Street\nLeeds  LS1   4AP. ", plain),
        ("St. John's Wood", "ST JOHNS WOOD"),
        ("St John\u{2019}s, King`s", "ST JOHNS KINGS"),
        ("Llŷn Tŷ-Gwyn", "LLYN TY GWYN"),
        ("ŴYÂËÏÔÛẀẂẄỲŶÝ", "WYAEIOUWWWYYY"),
        ("Cafe\u{301} Île", "CAFE ILE"),
        ("Straße Æ œ Ø þ", "STRASSE AE OE O TH"),
        ("Flat 2/1a (rear)", "FLAT 2 1A REAR"),
        ("12-14 Park Row", "12 14 PARK ROW"),
        ("LS1 4AP", "LS14AP"),
        ("ls1-4ap", "LS14AP"),
        // Only at the end, and only a full postcode.
        ("LS1 4AP Leeds", "LS1 4AP LEEDS"),
        ("Park Row LS1", "PARK ROW LS1"),
        ("Park Row LS 1 4AP", "PARK ROW LS 1 4AP"),
        ("Park Row LS1 4AC", "PARK ROW LS1 4AC"),
        ("Flat 1 W1A 1AA", "FLAT 1 W1A1AA"),
        ("Flat 1A 1AA", "FLAT 1A 1AA"),
        ("Αθήνα 7", "ΑΘΗΝΑ 7"),
        // Other shapes and invisible characters.
        ("１２ Ｈｉｇｈ　Ｓｔｒｅｅｔ， 𝐋eeds， ＬＳ１ ４ＡＰ", plain),
        (
            "1\u{200b}2 \u{202e}High\u{ad} Street, Leeds\u{3164}, LS1\u{feff} 4AP",
            plain,
        ),
        (
            "1\u{fe0f}2\u{20e3} High\u{34f} Street, Leeds, LS1 4AP",
            plain,
        ),
        ("6½ 6² ⑥ ６½ 1⁄2", "6½ 6² ⑥ 6½ 1⁄2"),
        ("№ 6 King´s", "6 KINGS"),
    ] {
        assert_eq!(normalise(text), expected, "{text:?}");
    }
}

#[test]
fn a_postcode_is_read_in_any_case_and_spacing() {
    let leeds = "LS1 4AP|ls14ap| Ls1  4aP |LS1-4AP|LS 1 4AP|LS1 4 AP";
    for (texts, spaced) in [
        (leeds, "LS1 4AP"),
        ("M1 1AE", "M1 1AE"),
        ("b338th", "B33 8TH"),
        ("w1a1hq", "W1A 1HQ"),
        ("CR2 6XH", "CR2 6XH"),
        ("DN55 1PT", "DN55 1PT"),
        ("ec1a1bb", "EC1A 1BB"),
        ("gir0aa", "GIR 0AA"),
        ("ze2 9th", "ZE2 9TH"),
    ] {
        for text in texts.split('|') {
            assert_eq!(postcode_spaced(text).as_deref(), Some(spaced), "{text:?}");
            assert_eq!(postcode(text), Some(spaced.replace(' ', "")), "{text:?}");
        }
    }
    let others = "|4AP|LS1|LS1 4A|LS1 4APP|LS1 AAP|LS1 4CP|LS1 4A1|LS111 4AP|L 4AP|LSS1 4AP|1S1 4AP|\
        QS1 4AP|LJ1 4AP|LS1C 4AP|W1I 4AP|LS1A1 4AP|GIR 0AB|Leeds LS1 4AP|1 LS1 4AP|A B1 4AP|\
        LS1 4AP LS1 4AP|ΛS1 4AP|LS١ 4AP";
    for text in others.split('|') {
        let found = (postcode(text), postcode_spaced(text));
        assert_eq!(found, (None, None), "{text:?}");
    }
}

#[test]
fn each_place_of_a_postcode_has_its_letters() {
    for (before, after, allowed) in [
        ("", "1 1AA", "ABCDEFGHIJKLMNOPRSTUWYZ"),
        ("A", "1 1AA", "ABCDEFGHKLMNOPQRSTUVWXY"),
        ("A1", " 1AA", "ABCDEFGHJKPSTUW"),
        ("AA1", " 1AA", "ABEHMNPRVWXY"),
        ("A1 1", "A", "ABDEFGHJLNPQRSTUWXYZ"),
        ("A1 1A", "", "ABDEFGHJLNPQRSTUWXYZ"),
    ] {
        for letter in 'A'..='Z' {
            let text = format!("{before}{letter}{after}");
            let is_allowed = allowed.contains(letter);
            assert_eq!(postcode(&text).is_some(), is_allowed, "{text}");
        }
    }
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
    }
}
