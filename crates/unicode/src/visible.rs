//! Shows characters that mislead readers by their numbers, such as `U+202E` (S-96).

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::category::{Kind, MARKS_MAX, is_plain_ascii, kind};

/// The text for a page, terminal or log line. Each character that [`crate::clean`] refuses stands
/// there as its number, such as `U+202E`, also the third combining mark in a row and each mark
/// behind it.
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

fn show(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let mut shown = String::with_capacity(text.len());
    let mut marks = 0;
    let mut is_changed = false;
    for character in text.chars() {
        let kind = kind(character);
        marks = if kind == Kind::Mark { marks + 1 } else { 0 };
        if kind != Kind::Other && marks <= MARKS_MAX || stays(character) {
            shown.push(character);
        } else {
            is_changed = true;
            // Writing to a string does not fail.
            let _ = write!(shown, "U+{:04X}", u32::from(character));
        }
    }
    if is_changed {
        Cow::Owned(shown)
    } else {
        Cow::Borrowed(text)
    }
}
