//! The file outside the store with the last signed checkpoint (S-61). It never goes back in time.

use std::fmt::Display;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use log::checkpoint::SignedCheckpoint;

use crate::fault::Fault;
use crate::limits::{CHECKPOINT_BYTES_MAX, LOCK_ATTEMPTS_MAX, LOCK_PAUSE};

/// Reads the checkpoint. `None`: there is no file. Nobody has verified it.
///
/// # Errors
/// [`Fault::File`] if the file cannot be read or holds something else.
pub fn read(path: &Path) -> Result<Option<SignedCheckpoint>, Fault> {
    let text = match File::open(path).and_then(read_text) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(refused(path, &error)),
    };
    let parsed = SignedCheckpoint::parse(&text);
    parsed.map(Some).map_err(|error| {
        let advice = "put the file of the node that signed last in its place";
        refused(path, &format_args!("{error}; {advice}"))
    })
}

/// Replaces the checkpoint. A crash leaves the old file or the new one, never a part. The caller `hold`s
/// the file.
///
/// # Errors
/// [`Fault::File`].
pub fn write(path: &Path, checkpoint: &SignedCheckpoint) -> Result<(), Fault> {
    replace(path, &checkpoint.to_string()).map_err(|error| refused(path, &error))
}

/// Keeps other processes on this file from signing, until it is dropped. Two copies of a store could
/// otherwise both continue the same checkpoint. `None`: another process still holds it.
///
/// # Errors
/// [`Fault::File`].
pub(crate) fn hold(path: &Path) -> Result<Option<File>, Fault> {
    let lock = append_to_name(path, ".lock");
    let file = File::create(&lock).map_err(|error| refused(&lock, &error))?;
    for _attempt in 0..LOCK_ATTEMPTS_MAX {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(error)) => return Err(refused(&lock, &error)),
        }
    }
    Ok(None)
}

fn append_to_name(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

fn read_text(file: File) -> io::Result<String> {
    let mut text = String::new();
    file.take(CHECKPOINT_BYTES_MAX + 1)
        .read_to_string(&mut text)?;
    Ok(text)
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let unfinished = append_to_name(path, ".new");
    let mut file = File::create(&unfinished)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&unfinished, path)?;
    // The new name is on disk once its directory is.
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
}

fn refused(path: &Path, reason: &dyn Display) -> Fault {
    Fault::File {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use log::TreeHead;
    use log::note::LogKey;

    use super::*;

    #[test]
    fn one_process_holds_the_file_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        let held = hold(&path).unwrap().unwrap();
        assert!(hold(&path).unwrap().is_none());
        drop(held);
        assert!(hold(&path).unwrap().is_some());
    }

    #[test]
    fn a_file_is_read_as_it_was_written_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        assert_eq!(read(&path).unwrap(), None);
        let key = LogKey::from_seed("log.example", &[1; 32]).unwrap();
        for size in 0..3 {
            let root = if size == 0 {
                TreeHead::empty().root
            } else {
                [7; 32]
            };
            let checkpoint = SignedCheckpoint::sign(TreeHead { size, root }, &key).unwrap();
            write(&path, &checkpoint).unwrap();
            assert_eq!(read(&path).unwrap(), Some(checkpoint));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let whole = fs::read(&path).unwrap();
        for damaged in [
            &b""[..],
            b"\xff",
            &whole[..whole.len() - 1],
            &vec![b'x'; 70_000],
        ] {
            fs::write(&path, damaged).unwrap();
            let fault = read(&path).unwrap_err().to_string();
            assert!(fault.contains("state_log_checkpoint_file"), "{fault}");
        }
        let missing = folder.path().join("nowhere").join("checkpoint");
        let checkpoint = SignedCheckpoint::sign(TreeHead::empty(), &key).unwrap();
        assert!(write(&missing, &checkpoint).is_err());
    }
}
