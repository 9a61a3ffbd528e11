//! Reads files that settings may name.

use crate::start_error::StartError;

/// Reads the file that a setting names, unless the setting is empty.
pub(crate) fn read_optional(
    setting: &'static str,
    path: &str,
) -> Result<Option<Vec<u8>>, StartError> {
    if path.is_empty() {
        return Ok(None);
    }
    let read = std::fs::read(path);
    let refused = |error: std::io::Error| StartError::StoreFile {
        setting,
        path: path.to_owned(),
        reason: error.to_string(),
    };
    read.map(Some).map_err(refused)
}
