//! Reads names of organisations, branches and references from arguments.

/// Reads the name of an organisation or a branch.
pub(super) fn read_name(text: &str) -> Result<String, String> {
    read_text(text, chain::limits::TEXT_CHARACTERS_MAX)
}

/// Reads a text of 1 to `characters_max` characters, in one form and without characters that mislead
/// readers (S-96).
pub(super) fn read_text(text: &str, characters_max: usize) -> Result<String, String> {
    let text = unicode::clean(text.trim()).map_err(|fault| format!("it {fault}"))?;
    // A selector that is removed may have hidden a space.
    let text = text.trim();
    if (1..=characters_max).contains(&text.chars().count()) {
        Ok(text.to_owned())
    } else {
        Err(format!("it must have 1 to {characters_max} characters"))
    }
}
