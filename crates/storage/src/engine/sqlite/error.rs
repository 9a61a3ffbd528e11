//! The errors of SQLite as errors of the store.

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
