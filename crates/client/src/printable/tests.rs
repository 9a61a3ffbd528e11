//! Tests of what [`printable`] keeps, replaces and drops.

use proptest::prelude::*;

use super::{PRINTABLE_LIMIT_CHARACTERS, printable};

fn check(text: &str, expected: &str) {
    assert_eq!(printable(text), expected, "for {text:?}");
}

#[test]
fn plain_text_stays_and_steering_characters_go() {
    check("12 Tŷ Gwyn, Caerdydd", "12 Tŷ Gwyn, Caerdydd");
    check("red \u{1b}[31mtext\u{1b}[0m", "red [31mtext[0m");
    check("title \u{9d}0;owned\u{9c}", "title 0;owned");
    check("one\r\ntwo\tthree\u{2028}four", "one  two three four");
    check("\u{202e}evil\u{2066}\u{feff}\u{7f}", "evil");
}

#[test]
fn long_text_is_cut_with_an_ellipsis() {
    let exact = "x".repeat(PRINTABLE_LIMIT_CHARACTERS);
    check(&exact, &exact);
    let cut = format!("{}…", "x".repeat(PRINTABLE_LIMIT_CHARACTERS - 1));
    check(&"x".repeat(PRINTABLE_LIMIT_CHARACTERS + 1), &cut);
}

proptest! {
    #[test]
    fn no_control_character_survives(text in any::<String>()) {
        let shown = printable(&text);
        prop_assert!(!shown.chars().any(char::is_control));
        prop_assert!(shown.chars().count() <= PRINTABLE_LIMIT_CHARACTERS);
    }
}
