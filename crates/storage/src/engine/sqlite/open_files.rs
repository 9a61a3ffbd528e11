//! Notices that somebody removed or replaced the files of an open store.
//!
//! SQLite goes on with files that have lost their names. Their contents are gone when the program ends.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::{Result, StorageError};

/// The files of an open store: the file itself, its log and the index of the log. They keep their
/// identity until the last program closes the store.
#[derive(Debug, Clone)]
pub(super) struct OpenFiles(Vec<(PathBuf, Identity)>);

/// The device and the number of a file.
type Identity = (u64, u64);

impl OpenFiles {
    /// Notes which files are open now. A connection must have read the store.
    pub(super) fn note(store: &Path) -> Self {
        // SQLite puts the log beside the file that a link names.
        let real = fs::canonicalize(store).unwrap_or_else(|_absent| store.to_owned());
        let beside = ["-wal", "-shm"].map(|ending| {
            let mut name = real.clone().into_os_string();
            name.push(ending);
            PathBuf::from(name)
        });
        let paths = std::iter::once(store.to_owned()).chain(beside);
        let noted = paths.filter_map(|path| {
            let identity = identify(&path).ok()?;
            Some((path, identity))
        });
        Self(noted.collect())
    }

    /// The path of the store.
    pub(super) fn store(&self) -> Option<&Path> {
        self.0.first().map(|(path, _identity)| path.as_path())
    }

    /// Fails if a path no longer leads to the open file. Where nobody can tell, nothing is wrong.
    pub(super) fn check(&self) -> Result<()> {
        for (path, opened) in &self.0 {
            let happened = match identify(path) {
                Ok(found) if found == *opened => continue,
                Ok(_other) => "replaced",
                Err(error) if error.kind() == io::ErrorKind::NotFound => "removed or renamed",
                Err(_unknown) => continue,
            };
            return Err(StorageError::Unavailable(format!(
                "somebody {happened} its file {} while this program has it open, so changes would be \
                 lost when this program ends; do not kill it, and follow the runbook",
                path.display()
            )));
        }
        Ok(())
    }
}

fn identify(path: &Path) -> io::Result<Identity> {
    let metadata = fs::metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}
