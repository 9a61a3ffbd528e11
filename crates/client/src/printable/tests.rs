//! Tests of the characters that [`printable`] keeps, replaces and removes.

use proptest::prelude::*;

use super::{PRINTABLE_LIMIT_CHARACTERS, printable};

#[test]
fn plain_text_stays_and_other_characters_are_numbers() {
    for (text, expected) in [
        ("12 Tŷ Gwyn, Caerdydd", "12 Tŷ Gwyn, Caerdydd"),
        ("red \u{1b}[31mtext\u{1b}[0m", "red U+001B[31mtextU+001B[0m"),
        ("title \u{9d}0;owned\u{9c}", "title U+009D0;ownedU+009C"),
        ("one\r\ntwo\tthree\u{2028}four", "one  two threeU+2028four"),
        (
            "\u{202e}evil\u{2066}\u{feff}\u{7f}",
            "U+202EevilU+2066U+FEFFU+007F",
        ),
    ] {
        assert_eq!(printable(text), expected, "for {text:?}");
    }
}

#[test]
fn long_text_is_cut_with_an_ellipsis() {
    let longest = "x".repeat(PRINTABLE_LIMIT_CHARACTERS);
    assert_eq!(printable(&longest), longest);
    let cut = format!("{}…", &longest[1..]);
    assert_eq!(printable(&format!("{longest}x")), cut);
}

proptest! {
    #[test]
    fn no_control_character_survives(text in any::<String>()) {
        let shown = printable(&text);
        prop_assert!(!shown.chars().any(char::is_control));
        prop_assert!(shown.chars().count() <= PRINTABLE_LIMIT_CHARACTERS);
    }
}
