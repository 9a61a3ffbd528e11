//! Text from outside, made safe for a terminal or a log line.

/// The longest text that [`printable`] returns, in characters, the ellipsis included.
const PRINTABLE_LIMIT_CHARACTERS: usize = 500;

/// The text on one line. Characters that could control a terminal, reorder the output or stay unseen
/// (CVE-2021-42574) stand there as their numbers, such as `U+202E`.
///
/// Tabs and line breaks become spaces. A text longer than 500 characters is cut and ends with an
/// ellipsis.
pub fn printable(text: &str) -> String {
    let mut kept = text.chars().map(|character| match character {
        '\t' | '\n' | '\r' => ' ',
        other => other,
    });
    let begun: String = kept.by_ref().take(PRINTABLE_LIMIT_CHARACTERS).collect();
    let shown = unicode::visible(&begun);
    let is_cut = kept.next().is_some() || shown.chars().count() > PRINTABLE_LIMIT_CHARACTERS;
    if !is_cut {
        return shown.into_owned();
    }
    let longest = shown.chars().take(PRINTABLE_LIMIT_CHARACTERS - 1);
    longest.chain(['…']).collect()
}

#[cfg(test)]
mod tests;
