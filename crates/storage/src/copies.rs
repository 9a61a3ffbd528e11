//! Copies of a whole store, for the day when it is lost.

use std::path::{Path, PathBuf};

use crate::engine::{back_up_file, restore_file};
use crate::{StorageError, StoreUrl};

/// Why a store was not copied or not put back, in one sentence.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CopyError {
    /// PostgreSQL has tools of its own for this.
    #[error(
        "the store {0} is a PostgreSQL database: copy it with `pg_dump --format=custom` and put it \
         back with `pg_restore`"
    )]
    Postgres(String),
    /// Nothing is overwritten.
    #[error("{} is there already, and nothing is overwritten", .0.display())]
    Exists(PathBuf),
    /// There is a store where the copy shall go.
    #[error(
        "there is a store already at {}: with --replace it is set aside under a name that ends in \
         .replaced",
        .0.display()
    )]
    StoreExists(PathBuf),
    /// Somebody uses the store.
    #[error("the store {} is in use: stop every program that has it open first", .0.display())]
    Held(PathBuf),
    /// This is no copy but a store that is in use, whose newest changes are in its log.
    #[error("{} has a log beside it, so it is no backup but a store: copy it with `onward backup`", .0.display())]
    InUse(PathBuf),
    /// What shall be put back cannot be used.
    #[error("cannot restore from {}: {}", .0.display(), .1)]
    Read(PathBuf, String),
    /// The new file cannot be written.
    #[error("cannot write {}: {}", .0.display(), .1)]
    Write(PathBuf, String),
    /// The store cannot be opened.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Writes everything that the store holds at this moment into a new file, while others use it.
/// Whatever was acknowledged before this began is in it. Blocks.
pub fn back_up(url: &StoreUrl, target: &Path) -> Result<(), CopyError> {
    match url {
        StoreUrl::Sqlite(path) => back_up_file(path, target),
        StoreUrl::Postgres(_) => Err(CopyError::Postgres(url.to_string())),
    }
}

/// Puts a copy in the place of the store, which nobody may have open. A store that is there is an
/// error, or set aside if `replace`. Blocks.
pub fn restore(copy: &Path, url: &StoreUrl, replace: bool) -> Result<(), CopyError> {
    match url {
        StoreUrl::Sqlite(path) => restore_file(copy, path, replace),
        StoreUrl::Postgres(_) => Err(CopyError::Postgres(url.to_string())),
    }
}
