//! The organisation that a participant's certificate names (S-72).

use signing::certificate::Names;
use uuid::Uuid;

/// The type of the attribute that holds the organisation's id.
const UNIT: &str = "OU";
/// Characters of a UUID with hyphens.
const UUID_CHARACTERS: usize = 36;

/// The organisation's id: the only OU of the subject, a UUID. The caller verifies that the certificate is one of the
/// framework, because another authority could issue any OU.
pub fn read_organisation(names: &Names) -> Option<String> {
    let mut units = names.subject.values(UNIT);
    let (Some(unit), None) = (units.next(), units.next()) else {
        return None;
    };
    read_id(unit)
}

/// An organisation's id in its one form: a UUID with hyphens, in small letters.
pub fn read_id(text: &str) -> Option<String> {
    let has_form = text.len() == UUID_CHARACTERS;
    let id = Uuid::try_parse(text).ok().filter(|_id| has_form)?;
    Some(id.hyphenated().to_string())
}
