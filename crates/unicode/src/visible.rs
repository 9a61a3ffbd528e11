//! Shows characters that mislead readers by their numbers, such as `U+202E` (S-96).

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::category::{Kind, MARKS_MAX, is_emoji_selector, is_plain_ascii, kind};

/// The text for a page, terminal or log line, without the selectors of emoji that older stores have.
/// Each other character that [`crate::clean()`] refuses stands there as its number, such as `U+202E`,
/// also the third combining mark in a row and each mark behind it.
pub fn visible(text: &str) -> Cow<'_, str> {
    if is_plain_ascii(text) {
        return Cow::Borrowed(text);
    }
    show(text, |_character| false)
}

/// Like [`visible`], but line feeds stay.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    if text.split('\n').all(is_plain_ascii) {
        return Cow::Borrowed(text);
    }
    show(text, |character| character == '\n')
}

/// JSON text with the same characters as escapes, such as `\u202e`. Its values stay the same. White
/// space between the values stays.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    if json.split(WHITE_SPACE).all(is_plain_ascii) {
        return Cow::Borrowed(json);
    }
    replace(
        json,
        |character| WHITE_SPACE.contains(&character),
        |shown, character| {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string does not fail.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        },
    )
}

/// White space that JSON has between values, besides spaces (RFC 8259 section 2).
const WHITE_SPACE: [char; 3] = ['\t', '\n', '\r'];

fn show(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    replace(text, stays, |shown, character| {
        if !is_emoji_selector(character) {
            // Writing to a string does not fail.
            let _ = write!(shown, "U+{:04X}", u32::from(character));
        }
    })
}

fn replace(
    text: &str,
    stays: impl Fn(char) -> bool,
    push: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    let mut shown = String::with_capacity(text.len());
    let mut marks = 0;
    let mut is_changed = false;
    for character in text.chars() {
        let kind = kind(character);
        let is_shown = match kind {
            Kind::Plain => true,
            Kind::Mark => marks < MARKS_MAX,
            Kind::EmojiSelector | Kind::Other => stays(character),
        };
        marks = match kind {
            Kind::Mark => marks + 1,
            Kind::EmojiSelector => marks,
            Kind::Plain | Kind::Other => 0,
        };
        if is_shown {
            shown.push(character);
        } else {
            is_changed = true;
            push(&mut shown, character);
        }
    }
    if is_changed {
        Cow::Owned(shown)
    } else {
        Cow::Borrowed(text)
    }
}
