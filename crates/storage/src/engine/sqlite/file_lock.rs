//! Who has an SQLite store open: a lock beside the file, shared by all who use it and had alone by
//! whoever puts another file in its place. SQLite's own locks say nothing while nobody reads or
//! writes.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::copy::keep_owner;
use crate::{Result, StorageError};

/// How often a lock is tried for that somebody else has, and the pause between: whoever closes the
/// store has it alone for a moment.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(20);

/// The lock, for as long as this lives.
#[derive(Debug)]
pub(crate) struct Held {
    file: File,
    name: PathBuf,
}

#[derive(Clone, Copy)]
enum Kind {
    Shared,
    Alone,
}

impl Held {
    /// Shares the store with others who use it. None where there is no store: then opening it says
    /// what is wrong.
    pub(super) fn share(path: &Path, create: bool) -> Result<Option<Self>> {
        if !create && !path.exists() {
            return Ok(None);
        }
        match take(path, Kind::Shared, TRIES) {
            Ok(Some(held)) => Ok(Some(held)),
            Ok(None) => Err(StorageError::Open {
                target: path.display().to_string(),
                reason: "it is being restored at this moment".to_owned(),
            }),
            // Where no file can be made, SQLite cannot make its log either, and says so.
            Err(error) if is_read_only(&error) && !lock_of(path).exists() => Ok(None),
            Err(error) => Err(StorageError::Open {
                target: path.display().to_string(),
                reason: format!(
                    "its lock {} cannot be shared: {error}; give it to the user who owns the \
                     store, or remove it when no program has the store open",
                    lock_of(path).display()
                ),
            }),
        }
    }

    /// Has the store alone; none while somebody uses it.
    pub(super) fn alone(path: &Path) -> io::Result<Option<Self>> {
        take(path, Kind::Alone, TRIES)
    }

    /// As [`Held::alone`], without waiting for others to leave.
    pub(super) fn alone_now(path: &Path) -> io::Result<Option<Self>> {
        take(path, Kind::Alone, 1)
    }

    /// Whether the file that is locked still has its name: the last user removes it.
    fn is_current(&self) -> bool {
        let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        let here = self.file.metadata().map(identity);
        let there = std::fs::metadata(&self.name).map(identity);
        matches!((here, there), (Ok(here), Ok(there)) if here == there)
    }
}

impl Drop for Held {
    /// The last one leaves nothing behind. It has the lock alone while it removes the file, so that
    /// whoever opened the file before finds it gone once it has the lock.
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

/// The file of the lock, made where it is missing. One that somebody else made may be readable
/// only, which is enough to lock it.
fn open_lock(name: &Path, store: &Path) -> io::Result<File> {
    match File::options().create_new(true).write(true).open(name) {
        // Only what was made here is given away: under this name may lie a link to anything.
        Ok(file) => {
            keep_owner(&file, store)?;
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

/// The lock's file. A link and what it leads to are one store.
fn lock_of(path: &Path) -> PathBuf {
    let real = path.canonicalize();
    let mut name = real.map_or_else(|_absent| path.into(), PathBuf::into_os_string);
    name.push(".lock");
    name.into()
}

fn take(path: &Path, kind: Kind, tries: u32) -> io::Result<Option<Held>> {
    let name = lock_of(path);
    for _ in 0..tries {
        let held = Held {
            file: open_lock(&name, path)?,
            name: name.clone(),
        };
        let outcome = match kind {
            Kind::Shared => held.file.try_lock_shared(),
            Kind::Alone => held.file.try_lock(),
        };
        match outcome {
            Ok(()) if held.is_current() => return Ok(Some(held)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}
