//! The setting `path_segments`: the words that the path of the chain query accepts (S-64).

use chain_queries::routes::STANDARD;

/// The words that begin the paths of other calls on the same address.
const TAKEN: [&str; 1] = ["webhook"];
const WORDS_MAX: usize = 8;
const CHARACTERS_MAX: usize = 32;

/// Checks the setting. The error says what to change.
pub(super) fn check(words: &[String]) -> Result<(), String> {
    for (index, word) in words.iter().enumerate() {
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if !(1..=CHARACTERS_MAX).contains(&word.len()) || !word.bytes().all(is_plain) {
            return Err(format!(
                "`{word}` must be 1 to {CHARACTERS_MAX} lower-case letters, digits and hyphens"
            ));
        }
        if TAKEN.contains(&word.as_str()) {
            return Err(format!("`{word}` is the path of another call"));
        }
        if words.iter().take(index).any(|before| before == word) {
            return Err(format!("`{word}` stands there twice"));
        }
    }
    if !words.iter().any(|word| word == STANDARD) {
        return Err(format!("it must contain `{STANDARD}`"));
    }
    if words.len() > WORDS_MAX {
        return Err(format!("it has more than {WORDS_MAX} words"));
    }
    Ok(())
}
