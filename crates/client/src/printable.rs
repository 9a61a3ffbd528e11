//! Text from outside, made safe for a terminal or a log line.

/// The longest text that [`printable`] returns, in characters, the ellipsis included.
const PRINTABLE_LIMIT_CHARACTERS: usize = 500;

/// Removes the characters of `text` that could control a terminal or reorder the output. These are
/// control characters, bidirectional controls (CVE-2021-42574) and invisible joiners.
///
/// Tabs, line breaks and separators of lines and paragraphs become spaces. A text longer than 500
/// characters is cut and ends with an ellipsis.
pub fn printable(text: &str) -> String {
    let mut kept = text.chars().filter_map(printable_character);
    let mut shown: String = kept.by_ref().take(PRINTABLE_LIMIT_CHARACTERS).collect();
    if kept.next().is_some() {
        shown.pop();
        shown.push('…');
    }
    shown
}

fn printable_character(character: char) -> Option<char> {
    match character {
        '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}' => Some(' '),
        '\u{061c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}' => None,
        other if other.is_control() => None,
        other => Some(other),
    }
}

#[cfg(test)]
mod tests;
