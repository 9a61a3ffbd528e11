//! The owner of files beside an SQLite store.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Gives a file that root created to the owner of the store, or of its folder if there is no store.
pub(super) fn copy_owner(file: &File, store: &Path) -> io::Result<()> {
    let wanted = store.metadata();
    let wanted = wanted.or_else(|_absent| folder_of(store).metadata())?;
    let found = file.metadata()?;
    if (found.uid(), found.gid()) == (wanted.uid(), wanted.gid()) {
        return Ok(());
    }
    match std::os::unix::fs::fchown(file, Some(wanted.uid()), Some(wanted.gid())) {
        // Only root may change an owner. Other users keep the file.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        changed => changed,
    }
}

/// The folder that holds a file.
pub(super) fn folder_of(path: &Path) -> &Path {
    let folder = path.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or_else(|| Path::new("."))
}
