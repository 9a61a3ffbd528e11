//! Text from outside, made safe for a terminal or a log line.

/// The longest text, in characters, that [`printable`] returns, the ellipsis included.
pub const PRINTABLE_LIMIT_CHARACTERS: usize = 500;

/// `text` without the characters that could steer a terminal or reorder what is shown: control
/// characters (C0, DEL, C1), line and paragraph separators, bidirectional controls (CVE-2021-42574)
/// and invisible joiners. Tabs and line breaks become one space. What is longer than
/// [`PRINTABLE_LIMIT_CHARACTERS`] is cut and ends with an ellipsis.
pub fn printable(text: &str) -> String {
    let mut shown = String::new();
    let mut kept = text.chars().filter_map(printable_character);
    for character in kept.by_ref().take(PRINTABLE_LIMIT_CHARACTERS) {
        shown.push(character);
    }
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
