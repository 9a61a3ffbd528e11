//! Keeps the files of a store to their owner.

use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

/// Lets only the owner read and write the store, whatever the umask is. `creates` makes a missing file.
/// SQLite gives its log the mode of the store.
///
/// It ignores failures, because SQLite reports them when it opens the file.
pub(super) fn keep(path: &Path, creates: bool) {
    if creates {
        let mut options = OpenOptions::new();
        drop(options.write(true).create_new(true).mode(0o600).open(path));
    }
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        if let Ok(metadata) = fs::metadata(&name)
            && metadata.mode() & 0o077 != 0
        {
            let owner_only = Permissions::from_mode(metadata.mode() & 0o700);
            drop(fs::set_permissions(&name, owner_only));
        }
    }
}
