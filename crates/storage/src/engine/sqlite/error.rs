//! The errors of SQLite as errors of the store.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::StorageError;

#[expect(
    clippy::needless_pass_by_value,
    reason = "`map_err` passes the error by value"
)]
pub(super) fn storage_error(error: rusqlite::Error) -> StorageError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StorageError::Busy,
        Some(
            ErrorCode::DiskFull
            | ErrorCode::ReadOnly
            | ErrorCode::SystemIoFailure
            | ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied,
        ) => StorageError::Unavailable(reason(&error)),
        Some(_) | None => StorageError::Statement(reason(&error)),
    }
}

pub(super) fn reason(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(ErrorCode::CannotOpen) => "there is no such file, or it may not be opened".to_owned(),
        Some(ErrorCode::NotADatabase) => "the file is not an SQLite database".to_owned(),
        Some(_) | None => error.to_string(),
    }
}

/// Why the store at a path cannot be opened. It names the file that belongs to somebody else.
pub(super) fn open_reason(error: &rusqlite::Error, path: &Path) -> String {
    let by_right = [ErrorCode::CannotOpen, ErrorCode::ReadOnly];
    let code = error.sqlite_error_code();
    if !code.is_some_and(|code| by_right.contains(&code)) {
        return reason(error);
    }
    let own = fs::metadata("/proc/self").map(|process| process.uid());
    let beside = ["", "-wal", "-shm"].map(|ending| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    });
    let folder = path.parent().map(Path::to_owned);
    let foreign = beside.into_iter().chain(folder).find_map(|file| {
        let owner = fs::metadata(&file).ok()?.uid();
        Some((file, owner)).filter(|(_, owner)| own.as_ref().is_ok_and(|own| own != owner))
    });
    match (own, foreign) {
        (Ok(own), Some((file, owner))) => foreign_file(&file, owner, own),
        _nobodys => reason(error),
    }
}

fn foreign_file(file: &Path, owner: u32, own: u32) -> String {
    let user = if owner == 0 { "root" } else { "another user" };
    let file = file.display();
    format!(
        "this program runs as the user {own}, and {file} belongs to {user} (user {owner}): give it to the \
         user of the node with chown"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_somebody_else_is_named() {
        let said = foreign_file(Path::new("/var/lib/onward/onward.db-wal"), 0, 107);
        assert!(
            said.contains("/var/lib/onward/onward.db-wal belongs to root"),
            "{said}"
        );
    }
}
