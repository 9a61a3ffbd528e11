//! Writes files so that a crash leaves the old file or the new one, never a part.

use std::io::{Result, Write as _};
use std::path::Path;

/// Replaces a file by rename.
pub fn write(path: &Path, text: &str) -> Result<()> {
    write_with_mode(path, text, 0o644)
}

/// Replaces a file that only its owner may read.
pub fn write_secret(path: &Path, text: &str) -> Result<()> {
    write_with_mode(path, text, 0o600)
}

fn write_with_mode(path: &Path, text: &str, mode: u32) -> Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let temporary = path.with_extension(format!("{}.new", std::process::id()));
    drop(std::fs::remove_file(&temporary));
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(&temporary)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&temporary, path)
}
