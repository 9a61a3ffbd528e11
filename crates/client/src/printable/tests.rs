//! Tests of the characters that [`printable`] keeps, replaces and removes.

use proptest::prelude::*;

use super::{PRINTABLE_LIMIT_CHARACTERS, printable};

#[test]
fn plain_text_stays_and_control_characters_go() {
    for (text, expected) in [
        ("12 Tŷ Gwyn, Caerdydd", "12 Tŷ Gwyn, Caerdydd"),
        ("red \u{1b}[31mtext\u{1b}[0m", "red [31mtext[0m"),
        ("title \u{9d}0;owned\u{9c}", "title 0;owned"),
        ("one\r\ntwo\tthree\u{2028}four", "one  two three four"),
        ("\u{202e}evil\u{2066}\u{feff}\u{7f}", "evil"),
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
