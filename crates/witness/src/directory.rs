//! The directory of a witness: its key, the checkpoint of each log that it cosigned last, and a lock.

use std::fmt::Display;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use aws_lc_rs::rand;
use log::checkpoint::SignedCheckpoint;
use log::note::{MAX_NOTE_BYTES, WitnessKey};

use crate::fault::Fault;

const KEY_FILE: &str = "witness.key";
const LOCK_FILE: &str = "witness.lock";
const KEY_BYTES: usize = 32;

/// A directory that no other process uses meanwhile.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    /// The operating system ends the lock with the process.
    _lock: File,
}

impl Directory {
    /// Locks a directory, and makes it if it is missing.
    ///
    /// # Errors
    /// [`Fault::Held`] if another process uses it, and [`Fault::File`].
    pub fn hold(path: &Path) -> Result<Self, Fault> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
        made.map_err(|error| refused(path, &error))?;
        let lock = path.join(LOCK_FILE);
        let file = File::create(&lock).map_err(|error| refused(&lock, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Self {
                path: path.to_owned(),
                _lock: file,
            }),
            Err(TryLockError::WouldBlock) => Err(Fault::Held(path.to_owned())),
            Err(TryLockError::Error(error)) => Err(refused(&lock, &error)),
        }
    }

    /// The key of the witness with this name. The first call makes its 32 random bytes.
    ///
    /// # Errors
    /// [`Fault::Key`] for a name that no key may have, and [`Fault::File`].
    pub fn key(&self, name: &str) -> Result<WitnessKey, Fault> {
        // A refused name leaves no key behind.
        WitnessKey::from_seed(name, &[1; KEY_BYTES])?;
        let seed = match self.read_bytes(KEY_FILE, KEY_BYTES, 0o077)? {
            Some(kept) => kept.try_into().map_err(|_| {
                let reason = "it must have 32 bytes: put back the key of this witness";
                self.refused(KEY_FILE, reason)
            })?,
            None => self.make_seed()?,
        };
        Ok(WitnessKey::from_seed(name, &seed)?)
    }

    fn make_seed(&self) -> Result<[u8; KEY_BYTES], Fault> {
        let mut seed = [0; KEY_BYTES];
        let failed = |_| self.refused(KEY_FILE, "the system's random generator failed");
        rand::fill(&mut seed).map_err(failed)?;
        let written = self.replace(KEY_FILE, &seed);
        written.map_err(|error| self.refused(KEY_FILE, &error))?;
        Ok(seed)
    }

    /// Reads the checkpoint in a file. `None`: there is no file.
    pub(crate) fn read(&self, name: &str) -> Result<Option<SignedCheckpoint>, Fault> {
        let Some(bytes) = self.read_bytes(name, MAX_NOTE_BYTES, 0o022)? else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(&bytes);
        let parsed = SignedCheckpoint::parse(&text);
        parsed.map(Some).map_err(|error| {
            let advice = "without it this witness could cosign a second history, so never remove it: give a \
                          new witness another name and another directory";
            self.refused(name, format_args!("it is damaged, {error}; {advice}"))
        })
    }

    /// Replaces the checkpoint in a file. A crash leaves the old file or the new one, never a part.
    pub(crate) fn write(&self, name: &str, checkpoint: &SignedCheckpoint) -> Result<(), Fault> {
        let written = self.replace(name, checkpoint.to_string().as_bytes());
        written.map_err(|error| self.refused(name, &error))
    }

    pub(crate) fn refused(&self, name: &str, reason: impl Display) -> Fault {
        refused(&self.path.join(name), &reason)
    }

    /// Reads one byte more than `max` at most. The mode of the file must have no bit of `refused`.
    fn read_bytes(&self, name: &str, max: usize, refused: u32) -> Result<Option<Vec<u8>>, Fault> {
        let failed = |error: io::Error| self.refused(name, &error);
        let file = match File::open(self.path.join(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(failed)?,
        };
        if file.metadata().map_err(failed)?.mode() & refused != 0 {
            return Err(self.refused(name, "others have rights to it: chmod 600"));
        }
        let mut bytes = Vec::new();
        let max = u64::try_from(max).unwrap_or(u64::MAX);
        let read = file.take(max.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(failed)?;
        Ok(Some(bytes))
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let unfinished = self.path.join(format!("{name}.new"));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        // A crash may have left one.
        drop(fs::remove_file(&unfinished));
        let mut file = options.open(&unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&unfinished, self.path.join(name))?;
        // The new name is on disk once its directory is.
        File::open(&self.path)?.sync_all()
    }
}

fn refused(path: &Path, reason: &dyn Display) -> Fault {
    Fault::File {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}
