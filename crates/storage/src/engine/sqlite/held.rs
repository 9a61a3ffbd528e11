//! Who has an SQLite store open: a lock beside the file, shared by all who use it and had alone by
//! whoever puts another file in its place. SQLite's own locks say nothing while nobody reads or
//! writes.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::{Result, StorageError};

/// The lock, for as long as this lives.
#[derive(Debug)]
pub(crate) struct Held {
    _file: File,
}

impl Held {
    /// Shares the store with others who use it. None where there is no store: then opening it says
    /// what is wrong.
    pub(super) fn share(path: &Path, create: bool) -> Result<Option<Self>> {
        if !create && !path.exists() {
            return Ok(None);
        }
        let refused = |reason: String| StorageError::Open {
            target: path.display().to_string(),
            reason,
        };
        let Ok(file) = open(path) else {
            return Ok(None);
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => {
                Err(refused("it is being restored at this moment".to_owned()))
            }
            Err(TryLockError::Error(error)) => Err(refused(error.to_string())),
        }
    }

    /// Has the store alone; none while somebody uses it.
    pub(super) fn alone(path: &Path) -> io::Result<Option<Self>> {
        let file = open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// The lock's file stays: if one removed it, the next two could each lock another one.
fn open(path: &Path) -> io::Result<File> {
    // A link and what it leads to are one store.
    let real = path
        .canonicalize()
        .unwrap_or_else(|_absent| path.to_owned());
    let mut name = real.into_os_string();
    name.push(".lock");
    File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(PathBuf::from(name))
}
