//! The characters of a text for comparing: equal for texts that look alike (S-96).

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// The text without invisible characters, in NFKD, without its combining marks. Two texts with the
/// same NFKC have the same result.
///
/// Numbers that are no decimal digits stay: NFKC makes `6½` into `61⁄2`, `6²` into `62` and `①` into
/// `1`. S-7 forgives no number.
///
/// The number sign `№` stays, because NFKC joins its letters to the number behind it. So does the
/// acute accent `´`, which people type for an apostrophe: NFKC makes a space of it.
pub fn comparable(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    for part in text.split_inclusive(stays) {
        let end = part.char_indices().next_back();
        let end = end.filter(|(_, last)| stays(*last));
        let (before, kept) = part.split_at(end.map_or(part.len(), |(at, _)| at));
        result.extend(before.nfkd().filter(|character| !is_ignored(*character)));
        result.push_str(kept);
    }
    Cow::Owned(result)
}

/// Whether a text hides that it is equal to another one for [`comparable`]: it has invisible
/// characters, letters or digits of other shapes, or marks that are no accents of letters.
pub fn is_disguised(text: &str) -> bool {
    if text.is_ascii() {
        return false;
    }
    let mut is_behind_letter = false;
    let plain = text.nfd().filter(|character| {
        let is_accent = is_behind_letter && is_accent(*character);
        is_behind_letter = is_accent || character.is_alphabetic();
        !is_accent
    });
    !plain.eq(comparable(text).chars())
}

/// Whether a mark is an accent. The grapheme joiner among them cannot be seen.
fn is_accent(mark: char) -> bool {
    matches!(mark, '\u{300}'..='\u{36f}') && mark != '\u{34f}'
}

fn stays(character: char) -> bool {
    !character.is_ascii()
        && (matches!(character, '№' | '´')
            || character.general_category() == GeneralCategory::OtherNumber)
}

/// Whether a character is a combining mark or cannot be seen.
fn is_ignored(character: char) -> bool {
    let is_hidden = |category| {
        matches!(
            category,
            GeneralCategory::NonspacingMark
                | GeneralCategory::EnclosingMark
                | GeneralCategory::Format
        )
    };
    // Letters without a shape, and places that Unicode keeps for invisible characters.
    let is_blank = matches!(
        character,
        '\u{115f}' | '\u{1160}' | '\u{2065}' | '\u{3164}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
            | '\u{e0000}'..='\u{e0fff}'
    );
    !character.is_ascii() && (is_blank || is_hidden(character.general_category()))
}
