//! Copies of an SQLite store: made while it serves, and put back.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::held::Held;
use super::{connect, reason};
use crate::copies::CopyError;
use crate::migrations;

/// A file under a passing name, removed unless it got its own.
struct Unfinished(PathBuf);

/// Writes what the store holds at this moment into a new file, which appears under its name when
/// it is complete and on disk. Writers are not held up: it is one reading transaction.
pub(crate) fn back_up(store: &Path, target: &Path) -> Result<(), CopyError> {
    if target.exists() {
        return Err(CopyError::Exists(target.to_owned()));
    }
    let unfinished = Unfinished::beside(target);
    let failed = |reason: String| CopyError::Write(target.to_owned(), reason);
    // So that nobody puts another store in its place meanwhile.
    let _held = Held::share(store, false)?;
    let connection = connect(store, false, true)?;
    check_version(&connection, store)?;
    // The store holds digests of keys and names of people: nobody else may read a copy.
    let file = unfinished
        .create()
        .map_err(|error| failed(error.to_string()))?;
    let name = unfinished
        .0
        .to_str()
        .ok_or_else(|| failed("its name is not UTF-8".to_owned()))?;
    connection
        .execute("vacuum into $1", [name])
        .map_err(|error| failed(reason(&error)))?;
    file.sync_all()
        // Unlike a rename, a link does not replace what somebody else put there meanwhile.
        .and_then(|()| std::fs::hard_link(&unfinished.0, target))
        .and_then(|()| sync_folder(target))
        .map_err(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                CopyError::Exists(target.to_owned())
            } else {
                failed(error.to_string())
            }
        })
}

/// Puts a copy in the place of the store. Nothing that was there is lost: it is set aside, with
/// its log, under a name that ends in `.replaced`.
pub(crate) fn restore(copy: &Path, store: &Path, replace: bool) -> Result<(), CopyError> {
    let unreadable = |error: io::Error| CopyError::Read(copy.to_owned(), error.to_string());
    let failed = |error: io::Error| CopyError::Write(store.to_owned(), error.to_string());
    let mut source = File::open(copy).map_err(unreadable)?;
    if with_ending(copy, "-wal")
        .metadata()
        .is_ok_and(|log| log.len() > 0)
    {
        return Err(CopyError::InUse(copy.to_owned()));
    }
    let held = Held::alone(store).map_err(failed)?;
    let Some(_held) = held else {
        return Err(CopyError::Held(store.to_owned()));
    };
    if store.exists() && !replace {
        return Err(CopyError::StoreExists(store.to_owned()));
    }
    let unfinished = Unfinished::beside(store);
    let mut file = unfinished.create().map_err(failed)?;
    keep_owner(&file, store).map_err(failed)?;
    io::copy(&mut source, &mut file).map_err(failed)?;
    file.flush()
        .and_then(|()| file.sync_all())
        .map_err(failed)?;
    let connection = connect(&unfinished.0, false, true)
        .map_err(|error| CopyError::Read(copy.to_owned(), error.to_string()))?;
    check_whole(&connection, copy)?;
    check_version(&connection, copy)?;
    drop(connection);
    set_aside(store)?;
    std::fs::rename(&unfinished.0, store)
        .and_then(|()| sync_folder(store))
        .map_err(failed)
}

/// Moves the old store away. Its log goes too: SQLite would play it into the new file.
fn set_aside(store: &Path) -> Result<(), CopyError> {
    let aside = with_ending(store, ".replaced");
    let failed = |error: io::Error| CopyError::Write(aside.clone(), error.to_string());
    // A log without its file is what a restore leaves that was cut off after the first of these.
    let endings: &[&str] = if store.exists() {
        &["", "-wal"]
    } else {
        &["-wal"]
    };
    let moves = endings
        .iter()
        .map(|ending| (with_ending(store, ending), with_ending(&aside, ending)));
    let moves: Vec<_> = moves.collect();
    if moves.iter().all(|(from, _)| !from.exists()) {
        return Ok(());
    }
    // Both or none: what was set aside before is not mixed with this.
    if let Some((_, taken)) = moves.iter().find(|(_, to)| to.exists()) {
        return Err(CopyError::Exists(taken.clone()));
    }
    for (from, to) in moves.iter().filter(|(from, _)| from.exists()) {
        std::fs::rename(from, to).map_err(failed)?;
    }
    match std::fs::remove_file(with_ending(store, "-shm")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn check_whole(connection: &Connection, copy: &Path) -> Result<(), CopyError> {
    let broken = |reason: String| CopyError::Read(copy.to_owned(), reason);
    let found: String = connection
        .query_row("pragma integrity_check(1)", [], |row| row.get(0))
        .map_err(|error| broken(reason(&error)))?;
    if found == "ok" {
        Ok(())
    } else {
        Err(broken(format!("it is damaged: {found}")))
    }
}

fn check_version(connection: &Connection, path: &Path) -> Result<(), CopyError> {
    let no_store = |error: rusqlite::Error| {
        let reason = format!("it is no store of this program ({})", reason(&error));
        CopyError::Read(path.to_owned(), reason)
    };
    let version = connection
        .query_row(migrations::READ_VERSION, [], |row| row.get(0))
        .map_err(no_store)?;
    migrations::outstanding(&path.display().to_string(), version)?;
    Ok(())
}

impl Unfinished {
    /// In the same folder, so that it can get its name at once.
    fn beside(path: &Path) -> Self {
        Self(with_ending(
            path,
            &format!(".{}.unfinished", std::process::id()),
        ))
    }

    fn create(&self) -> io::Result<File> {
        // One that a killed run left.
        drop(std::fs::remove_file(&self.0));
        File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&self.0)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        for ending in ["", "-wal", "-shm", "-journal"] {
            drop(std::fs::remove_file(with_ending(&self.0, ending)));
        }
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// A new name is on disk when its folder is.
fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder_of(path))?.sync_all()
}

fn folder_of(path: &Path) -> &Path {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or_else(|| Path::new("."))
}

/// Root works for the user who serves: the owner of the store that is there, or of its folder.
pub(super) fn keep_owner(file: &File, store: &Path) -> io::Result<()> {
    let there = store
        .metadata()
        .or_else(|_absent| folder_of(store).metadata())?;
    let here = file.metadata()?;
    if (here.uid(), here.gid()) == (there.uid(), there.gid()) {
        return Ok(());
    }
    match std::os::unix::fs::fchown(file, Some(there.uid()), Some(there.gid())) {
        // Only root may give a file away; for anybody else it is theirs to sort out.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        given => given,
    }
}
