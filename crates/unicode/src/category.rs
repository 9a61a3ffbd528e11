//! The groups of characters that S-96 tells apart.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory as _};

/// The most combining marks in a row.
pub(crate) const MARKS_MAX: usize = 2;

/// What a character is in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A letter, number, sign of punctuation, symbol or space.
    Plain,
    /// A mark that is drawn on the character before it.
    Mark,
    /// One of the two selectors that keyboards add to emoji. It shows nothing itself.
    EmojiSelector,
    /// A control, format, separator, private-use or unassigned character, or one that shows nothing.
    Other,
}

/// The kind of a character.
pub(crate) fn kind(character: char) -> Kind {
    if matches!(character, ' '..='~') {
        return Kind::Plain;
    }
    if is_emoji_selector(character) {
        return Kind::EmojiSelector;
    }
    if is_blank(character) {
        return Kind::Other;
    }
    match character.general_category_group() {
        GeneralCategoryGroup::Letter
        | GeneralCategoryGroup::Number
        | GeneralCategoryGroup::Punctuation
        | GeneralCategoryGroup::Symbol => Kind::Plain,
        GeneralCategoryGroup::Mark => Kind::Mark,
        GeneralCategoryGroup::Separator if is_space(character) => Kind::Plain,
        GeneralCategoryGroup::Separator | GeneralCategoryGroup::Other => Kind::Other,
    }
}

/// Whether a character chooses between the drawing of an emoji and its sign as text.
pub(crate) fn is_emoji_selector(character: char) -> bool {
    matches!(character, '\u{fe0e}' | '\u{fe0f}')
}

/// Whether a letter, mark or symbol shows nothing. Unicode calls most of these characters
/// `Default_Ignorable_Code_Point`.
fn is_blank(character: char) -> bool {
    matches!(
        character,
        '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0d}'
            | '\u{ffa0}'
            | '\u{16fe4}'
            | '\u{1d159}'
            | '\u{e0100}'..='\u{e01ef}'
    )
}

fn is_space(character: char) -> bool {
    character.general_category() == GeneralCategory::SpaceSeparator
}

/// Whether every character is an ASCII letter, digit, sign or space. Most texts are.
pub(crate) fn is_plain_ascii(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_libraries_have_one_version_of_unicode() {
        let (major, minor, patch) = unicode_normalization::UNICODE_VERSION;
        let normal = (major.into(), minor.into(), patch.into());
        assert_eq!(unicode_properties::UNICODE_VERSION, normal);
    }
}
