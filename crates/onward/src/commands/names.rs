//! Reads names of organisations, branches and references from arguments.

/// Reads the name of an organisation or a branch.
pub(super) fn read_name(text: &str) -> Result<String, String> {
    read_text(text, chain::limits::TEXT_CHARACTERS_MAX)
}

/// Reads a text of 1 to `characters_max` characters, none of them a control character.
pub(super) fn read_text(text: &str, characters_max: usize) -> Result<String, String> {
    let text = text.trim();
    let length = text.chars().count();
    if (1..=characters_max).contains(&length) && !text.chars().any(char::is_control) {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "it must have 1 to {characters_max} characters, none of them a control character"
        ))
    }
}
