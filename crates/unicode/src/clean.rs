//! Puts a text that a caller sent into one form, and refuses characters that mislead readers (S-96).

use std::borrow::Cow;

use thiserror::Error;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

use crate::category::{Kind, MARKS_MAX, is_emoji_selector, is_plain_ascii, kind};

/// Why a text is refused. The message goes on from the name of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Fault {
    /// A character that no text may have.
    #[error("has the character U+{:04X}, which texts must not have", u32::from(*.0))]
    Character(char),
    /// More than two combining marks in a row.
    #[error("has more than two combining marks in a row")]
    Marks,
}

/// The text in NFC with U+00A0 as a space, without the selectors U+FE0E and U+FE0F, which keyboards
/// add to emoji. It may have letters, numbers, punctuation, symbols and spaces, and at most two
/// combining marks in a row.
///
/// Cleaning a clean text does not change it.
pub fn clean(text: &str) -> Result<Cow<'_, str>, Fault> {
    if is_plain_ascii(text) {
        return Ok(Cow::Borrowed(text));
    }
    let normal = normalise(text);
    check(&normal)?;
    Ok(normal)
}

/// Like [`clean`], but the text may have line feeds.
pub fn clean_lines(text: &str) -> Result<Cow<'_, str>, Fault> {
    if text.split('\n').all(is_plain_ascii) {
        return Ok(Cow::Borrowed(text));
    }
    let normal = normalise(text);
    normal.split('\n').try_for_each(check)?;
    Ok(normal)
}

fn normalise(text: &str) -> Cow<'_, str> {
    let is_normal = is_nfc_quick(text.chars()) == IsNormalized::Yes;
    let is_changed = |character| character == NO_BREAK_SPACE || is_emoji_selector(character);
    if is_normal && !text.contains(is_changed) {
        return Cow::Borrowed(text);
    }
    let kept = text
        .chars()
        .filter(|character| !is_emoji_selector(*character));
    let spaced = kept.map(|character| match character {
        NO_BREAK_SPACE => ' ',
        other => other,
    });
    Cow::Owned(spaced.nfc().collect())
}

fn check(line: &str) -> Result<(), Fault> {
    let mut marks = 0;
    for character in line.chars() {
        marks = match kind(character) {
            Kind::Plain => 0,
            Kind::Mark if marks == MARKS_MAX => return Err(Fault::Marks),
            Kind::Mark => marks + 1,
            Kind::EmojiSelector | Kind::Other => return Err(Fault::Character(character)),
        };
    }
    Ok(())
}

const NO_BREAK_SPACE: char = '\u{a0}';
