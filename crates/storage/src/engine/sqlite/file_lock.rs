//! A lock file beside an SQLite store. Programs that use the store share the lock; replacing the
//! file needs it exclusively. SQLite's own locks exist only during a read or write.

use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::file_owner::copy_owner;
use crate::{Result, StorageError};

/// How often and at which intervals to try for a lock that somebody else has. A program that
/// closes the store has the lock exclusively for a moment.
const ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(20);

/// The contents of the file after a failed sync of the store. Otherwise it is empty.
const MOVES_FORBIDDEN: &[u8] = b"a sync of the store failed\n";

/// The lock. Dropping it releases the lock.
#[derive(Debug)]
pub(crate) struct FileLock {
    file: File,
    name: PathBuf,
}

#[derive(Clone, Copy)]
enum Kind {
    Shared,
    Exclusive,
}

impl FileLock {
    /// Shares the lock. `None` if the store does not exist: opening it reports the error.
    pub(super) fn share(path: &Path, create: bool) -> Result<Option<Self>> {
        if !create && !path.exists() {
            return Ok(None);
        }
        match acquire(path, Kind::Shared, ATTEMPTS) {
            Ok(Some(lock)) => Ok(Some(lock)),
            Ok(None) => Err(StorageError::Open {
                target: path.display().to_string(),
                reason: "it is being restored at this moment".to_owned(),
            }),
            // SQLite cannot create its log in such a folder either, and reports the error.
            Err(error) if is_read_only(&error) && !lock_file_of(path).exists() => Ok(None),
            Err(error) => Err(StorageError::Open {
                target: path.display().to_string(),
                reason: format!(
                    "its lock {} cannot be shared: {error}; give it to the user who owns the \
                     store, or remove it when no program has the store open",
                    lock_file_of(path).display()
                ),
            }),
        }
    }

    /// Takes the lock exclusively. `None` if somebody uses the store.
    pub(super) fn exclusive(path: &Path) -> io::Result<Option<Self>> {
        acquire(path, Kind::Exclusive, ATTEMPTS)
    }

    /// As [`FileLock::exclusive`], without waiting.
    pub(super) fn try_exclusive(path: &Path) -> io::Result<Option<Self>> {
        acquire(path, Kind::Exclusive, 1)
    }

    /// Tells all programs on this store that a sync failed, until the last of them has ended.
    pub(super) fn forbid_moves(&self) -> io::Result<()> {
        (&self.file).write_all(MOVES_FORBIDDEN)
    }

    /// Whether a program on this store has told that a sync failed.
    pub(super) fn forbids_moves(&self) -> bool {
        self.file.metadata().is_ok_and(|file| file.len() > 0)
    }

    /// Forgets a failed sync. The caller has the lock exclusively, so that the next connection moves the
    /// whole log.
    pub(super) fn allow_moves(&self) -> io::Result<()> {
        if self.forbids_moves() {
            self.file.set_len(0)?;
        }
        Ok(())
    }

    /// Whether the locked file still has its name. The last user of a store removes the file.
    fn is_current(&self) -> bool {
        let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        let locked = self.file.metadata().map(identity);
        let named = std::fs::metadata(&self.name).map(identity);
        matches!((locked, named), (Ok(locked), Ok(named)) if locked == named)
    }
}

impl Drop for FileLock {
    /// The last user removes the file while it has the lock exclusively. A program that opened the
    /// file earlier gets the lock later, and notices that the file is gone.
    fn drop(&mut self) {
        let is_last = self.file.unlock().is_ok() && self.file.try_lock().is_ok();
        if is_last && self.is_current() {
            drop(std::fs::remove_file(&self.name));
        }
    }
}

fn is_read_only(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::NotFound
    )
}

fn acquire(path: &Path, kind: Kind, attempts: u32) -> io::Result<Option<FileLock>> {
    let name = lock_file_of(path);
    for _ in 0..attempts {
        let lock = FileLock {
            file: open_lock_file(&name, path)?,
            name: name.clone(),
        };
        let outcome = match kind {
            Kind::Shared => lock.file.try_lock_shared(),
            Kind::Exclusive => lock.file.try_lock(),
        };
        match outcome {
            Ok(()) if lock.is_current() => return Ok(Some(lock)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}

/// Opens the lock file, and creates it if it is missing. Read access is enough to lock a file that
/// another user created.
fn open_lock_file(name: &Path, store: &Path) -> io::Result<File> {
    match File::options().create_new(true).write(true).open(name) {
        // Only a new file changes its owner: an existing name may be a link to any file.
        Ok(file) => {
            copy_owner(&file, store)?;
            Ok(file)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            match File::options().write(true).open(name) {
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => File::open(name),
                opened => opened,
            }
        }
        Err(error) => Err(error),
    }
}

/// The name of the lock file. A link and its target are the same store.
fn lock_file_of(path: &Path) -> PathBuf {
    let real = path.canonicalize();
    let mut name = real.map_or_else(|_absent| path.into(), PathBuf::into_os_string);
    name.push(".lock");
    name.into()
}
