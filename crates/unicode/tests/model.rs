//! Texts as callers send them, in tables and against a simple model.

use proptest::prelude::*;
use unicode::{
    Fault, clean, clean_lines, comparable, is_disguised, visible, visible_json, visible_lines,
};
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory as Category, UnicodeGeneralCategory as _};

#[test]
fn texts_are_put_into_one_form_or_refused() {
    let character = |character| Err(Fault::Character(character));
    for (text, expected) in [
        ("", Ok("")),
        ("12 High Street, Leeds", Ok("12 High Street, Leeds")),
        ("Cafe\u{301}\u{a0}Tŷ 🏠 ½ “x”", Ok("Café Tŷ 🏠 ½ “x”")),
        // Keyboards add selectors to emoji.
        ("\u{fe0f}12\u{fe0f} ☕\u{fe0e}", Ok("12 ☕")),
        ("e\u{fe0f}\u{301}", Ok("é")),
        ("x\u{301}\u{fe0f}\u{327}\u{32f}", Err(Fault::Marks)),
        // Spaces of other widths stay.
        ("a\u{3000}b\u{2009}c", Ok("a\u{3000}b\u{2009}c")),
        // Two marks that no letter holds, and one that it does.
        ("x\u{301}\u{327}", Ok("x\u{327}\u{301}")),
        ("e\u{301}\u{32f}\u{20dd}", Ok("é\u{32f}\u{20dd}")),
        ("x\u{301}\u{327}\u{32f}", Err(Fault::Marks)),
        ("66\u{200b}", character('\u{200b}')),
        ("a\u{202e}b", character('\u{202e}')),
        ("a\u{ad}b", character('\u{ad}')),
        ("a\u{e0041}b", character('\u{e0041}')),
        ("a\u{feff}b", character('\u{feff}')),
        ("a\nb", character('\n')),
        ("a\u{85}b", character('\u{85}')),
        ("a\u{2028}b", character('\u{2028}')),
        ("a\u{e000}b", character('\u{e000}')),
        ("a\u{378}b", character('\u{378}')),
        ("a\u{ffff}b", character('\u{ffff}')),
    ] {
        assert_eq!(clean(text).as_deref(), expected.as_deref(), "{text:?}");
    }
    let lines = "Cafe\u{301}\n\nTwo";
    assert_eq!(clean_lines(lines).as_deref(), Ok("Café\n\nTwo"));
    assert_eq!(clean_lines("é\r\n"), Err(Fault::Character('\r')));
    let said = Fault::Character('\u{7}').to_string();
    assert_eq!(said, "has the character U+0007, which texts must not have");
}

#[test]
fn other_characters_are_shown_by_their_numbers() {
    for (text, expected) in [
        ("12 Tŷ Gwyn\u{a0}½", "12 Tŷ Gwyn\u{a0}½"),
        ("6\u{200b}6", "6U+200B6"),
        ("\u{202e}evil\u{1b}[31m", "U+202EevilU+001B[31m"),
        ("\u{e0041}", "U+E0041"),
        (
            "x\u{301}\u{302}\u{303}\u{304}y",
            "x\u{301}\u{302}U+0303U+0304y",
        ),
        ("☕\u{fe0f} 6\u{fe0e}", "☕ 6"),
        ("x\u{301}\u{fe0f}\u{327}\u{32f}", "x\u{301}\u{327}U+032F"),
        ("one\ntwo", "oneU+000Atwo"),
    ] {
        assert_eq!(visible(text), expected, "{text:?}");
    }
    assert_eq!(visible_lines("one\ntwo\r"), "one\ntwoU+000D");
    assert_eq!(visible_json("\"☕\u{fe0f}\""), "\"☕\\ufe0f\"");
    let json = "{\n\t\"é\u{7f}\":\"\u{202e}\u{e0041}x\u{301}\u{302}\u{303}\"}";
    let shown = "{\n\t\"é\\u007f\":\"\\u202e\\udb40\\udc41x\u{301}\u{302}\\u0303\"}";
    assert_eq!(visible_json(json), shown);
}

#[test]
fn texts_that_look_alike_compare_equal() {
    for (text, expected) in [
        ("６６ Ｋｉｎｇ\u{3000}Ｄｒｉｖｅ", "66 King Drive"),
        ("𝟔𝟔 𝕂ing", "66 King"),
        (
            "6\u{200b}6\u{ad} \u{202e}King\u{fe0f}\u{e0067}\u{3164}",
            "66 King",
        ),
        ("6\u{20e3} Café Cafe\u{301}", "6 Cafe Cafe"),
        ("６½ 6² ⑥ ⒍ ❻ ₆", "6½ 6² ⑥ ⒍ ❻ ₆"),
        ("King´s №6", "King´s №6"),
    ] {
        assert_eq!(comparable(text), expected, "{text:?}");
    }
}

#[test]
fn disguises_are_told_from_accents() {
    for plain in [
        "66 King Drive",
        "Café Llŷn ệ",
        "Cafe\u{301} St John’s",
        "6½ №6 Straße",
        "Αθήνα",
    ] {
        assert!(!is_disguised(plain), "{plain:?}");
    }
    for other in [
        "６",
        "6\u{200b}6",
        "𝕂ing",
        "6\u{34f}",
        "e\u{34f}",
        "6\u{332}",
        "K\u{fe0f}",
        "ﬁ",
        "\u{3164}",
    ] {
        assert!(is_disguised(other), "{other:?}");
    }
}

/// Texts in which rare characters are frequent.
fn texts() -> impl Strategy<Value = String> {
    let rare = "[a-c \u{a0}\n\r\u{ad}\u{200b}\u{202e}\u{2028}\u{3000}\u{300}-\u{32f}éŷ６½\u{e000}\u{378}\
        \u{1100}\u{1161}\u{11a8}\u{958}\u{fb2c}\u{e0041}\u{34f}\u{3164}\u{115f}\u{2800}\u{fe00}\u{fe0e}\u{fe0f}\u{e0100}]{0,12}";
    prop_oneof![any::<String>(), rare, "[ -~]{0,20}"]
}

/// Letters, marks and symbols that show nothing, so that they are no visible characters either.
const BLANK: [(char, char); 12] = [
    ('\u{34f}', '\u{34f}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180d}'),
    ('\u{180f}', '\u{180f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0d}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{16fe4}', '\u{16fe4}'),
    ('\u{1d159}', '\u{1d159}'),
    ('\u{e0100}', '\u{e01ef}'),
];

/// S-96 word by word.
fn model(text: &str, allows_lines: bool) -> Result<String, Fault> {
    let text = text.replace(['\u{fe0e}', '\u{fe0f}'], "");
    let normal: String = text.replace('\u{a0}', " ").nfc().collect();
    let characters: Vec<char> = normal.chars().collect();
    for (at, character) in characters.iter().enumerate() {
        let is_refused = matches!(
            character.general_category(),
            Category::Control
                | Category::Format
                | Category::LineSeparator
                | Category::ParagraphSeparator
                | Category::PrivateUse
                | Category::Surrogate
                | Category::Unassigned
        ) || BLANK
            .iter()
            .any(|(first, last)| (*first..=*last).contains(character));
        if is_refused && !(allows_lines && *character == '\n') {
            return Err(Fault::Character(*character));
        }
        let last = characters[..=at].iter().rev().take(3);
        let marks = last.filter(|character| is_mark(**character)).count();
        if marks == 3 {
            return Err(Fault::Marks);
        }
    }
    Ok(normal)
}

fn is_mark(character: char) -> bool {
    matches!(
        character.general_category(),
        Category::NonspacingMark | Category::SpacingMark | Category::EnclosingMark
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn cleaning_is_what_the_model_says(text in texts()) {
        prop_assert_eq!(clean(&text).map(String::from), model(&text, false));
        prop_assert_eq!(clean_lines(&text).map(String::from), model(&text, true));
    }

    #[test]
    fn a_clean_text_stays_and_is_shown_as_it_is(text in texts()) {
        if let Ok(once) = clean_lines(&text) {
            let twice = clean_lines(&once);
            prop_assert_eq!(twice.as_deref(), Ok(&*once));
            prop_assert_eq!(visible_lines(&once), &*once);
        }
    }

    #[test]
    fn what_is_shown_has_no_character_that_is_refused(text in texts()) {
        let shown = visible(&text);
        let is_fault = |character: char| matches!(clean(character.encode_utf8(&mut [0; 4])), Err(Fault::Character(_)));
        prop_assert!(!shown.chars().any(is_fault), "{shown:?}");
        prop_assert_eq!(visible(&shown), &*shown);
    }

    #[test]
    fn the_same_nfkc_compares_equal(text in "[a-zA-Zａ-ｚ０-９ﬁéÅ가각\u{300}-\u{304}\u{3000}]{0,12}") {
        let nfkc: String = text.nfkc().collect();
        prop_assert_eq!(comparable(&nfkc), comparable(&text));
    }
}
