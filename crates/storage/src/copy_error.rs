//! Why a backup or restore failed.

use std::path::PathBuf;

use crate::StorageError;

/// Why a backup or restore failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CopyError {
    /// The store has damaged pages, so a copy would be useless.
    #[error("no copy was made, because the store {} is damaged: {_1}; restore an earlier copy", .0.display())]
    Damaged(PathBuf, String),
    /// PostgreSQL has its own tools.
    #[error(
        "the store {0} is a PostgreSQL database: copy it with `pg_dump --format=custom` and \
         restore it with `pg_restore`"
    )]
    Postgres(String),
    /// The target exists.
    #[error("{} is there already, and nothing is overwritten", .0.display())]
    Exists(PathBuf),
    /// A store exists, and the caller did not allow its replacement.
    #[error(
        "there is a store already at {}: with --replace it is set aside under a name with the \
         ending .replaced",
        .0.display()
    )]
    StoreExists(PathBuf),
    /// Another program has the store open.
    #[error("the store {} is in use: stop every program that has it open first", .0.display())]
    StoreInUse(PathBuf),
    /// The copy has a log, so it is a store in use. Its newest changes are in the log.
    #[error("{} has a log beside it, so it is no backup but a store: copy it with `onward backup`", .0.display())]
    CopyHasLog(PathBuf),
    /// The copy cannot be used.
    #[error("cannot restore from {}: {}", .0.display(), .1)]
    Read(PathBuf, String),
    /// A file cannot be written.
    #[error("cannot write {}: {}", .0.display(), .1)]
    Write(PathBuf, String),
    /// The store cannot be opened.
    #[error(transparent)]
    Storage(#[from] StorageError),
}
