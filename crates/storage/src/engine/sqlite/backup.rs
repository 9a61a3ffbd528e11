//! Backing up an SQLite store while it serves, and restoring it.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode};

use super::damage::find_damage;
use super::file_lock::FileLock;
use super::file_owner::{copy_owner, folder_of};
use super::{Access, SqliteSession, connect, control, reason};
use crate::copy_error::CopyError;
use crate::migrations;
use crate::operator_changes::{Note, OperatorCommand};
use crate::session::{Session, Write};

/// The first version of a store that keeps who ran a command, and why.
const NOTES_SINCE_VERSION: i64 = 14;

/// A file under a temporary name. Dropping it removes the file.
struct Unfinished {
    path: PathBuf,
    /// Shows other programs that this one still writes the file.
    _lock: FileLock,
}

/// The numbers that a store has given.
#[derive(Default)]
struct Given {
    tables: Vec<(String, i64)>,
    counters: Vec<(String, i64)>,
}

/// Writes the current contents of the store into a new file. The file gets its name when it is
/// complete and on disk. One read transaction makes the copy, so writers do not wait.
pub(crate) fn back_up(store: &Path, target: &Path) -> Result<(), CopyError> {
    if target.exists() {
        return Err(CopyError::Exists(target.to_owned()));
    }
    let write_error = |reason: String| CopyError::Write(target.to_owned(), reason);
    let unfinished = Unfinished::beside(target);
    let unfinished = unfinished.map_err(|error| write_error(error.to_string()))?;
    // Nobody may restore another store under this name meanwhile.
    let _lock = FileLock::share(store, false)?;
    let connection = connect(store, Access::Read)?;
    check_version(&connection, store)?;
    // Nobody else may read a copy: the store holds digests of keys and names of people.
    let file = unfinished.create();
    let file = file.map_err(|error| write_error(error.to_string()))?;
    let name = unfinished.path.to_str();
    let name = name.ok_or_else(|| write_error("its name is not UTF-8".to_owned()))?;
    connection
        .execute("vacuum into $1", [name])
        .map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                CopyError::Damaged(store.to_owned(), reason(&error))
            }
            Some(ErrorCode::SystemIoFailure) => write_error(format!(
                "{}, unless the store itself cannot be read: `onward check` says whether its files are there",
                reason(&error)
            )),
            _ => write_error(reason(&error)),
        })?;
    // A store with damaged pages makes a damaged copy.
    let copied = connect(&unfinished.path, Access::Read);
    let copied = copied.map_err(|error| write_error(error.to_string()))?;
    if let Some(damage) = find_damage(&copied).map_err(|error| write_error(reason(&error)))? {
        return Err(CopyError::Damaged(store.to_owned(), damage));
    }
    drop(copied);
    file.sync_all()
        // A link does not replace a file that somebody else put there meanwhile. A rename would.
        .and_then(|()| std::fs::hard_link(&unfinished.path, target))
        .and_then(|()| sync_folder(target))
        .map_err(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                CopyError::Exists(target.to_owned())
            } else {
                write_error(error.to_string())
            }
        })
}

/// Replaces the store with a copy. An existing store is set aside, with its log, under a name that
/// ends in `.replaced`.
pub(crate) fn restore(
    copy: &Path,
    store: &Path,
    replace: bool,
    note: OperatorCommand,
) -> Result<(), CopyError> {
    let read_error = |error: io::Error| CopyError::Read(copy.to_owned(), error.to_string());
    let write_error = |error: io::Error| CopyError::Write(store.to_owned(), error.to_string());
    let mut source = File::open(copy).map_err(read_error)?;
    let log = with_ending(copy, "-wal").metadata();
    if log.is_ok_and(|log| log.len() > 0) {
        return Err(CopyError::CopyHasLog(copy.to_owned()));
    }
    let lock = FileLock::exclusive(store).map_err(write_error)?;
    let _lock = lock.ok_or_else(|| CopyError::StoreInUse(store.to_owned()))?;
    if store.exists() && !replace {
        return Err(CopyError::StoreExists(store.to_owned()));
    }
    let unfinished = Unfinished::beside(store).map_err(write_error)?;
    unfinished.fill(&mut source, store).map_err(write_error)?;
    let connection = connect(&unfinished.path, Access::Read)
        .map_err(|error| CopyError::Read(copy.to_owned(), error.to_string()))?;
    check_integrity(&connection, copy)?;
    check_version(&connection, copy)?;
    drop(connection);
    let given = read_given(store).unwrap_or_default();
    prepare_restored(&unfinished.path, &given, note)?;
    set_aside(store)?;
    std::fs::rename(&unfinished.path, store)
        .and_then(|()| sync_folder(store))
        .map_err(write_error)
}

/// The tables and counters of a store with the last number that each has given. Without a store, or with one that
/// cannot be read, there is nothing.
fn read_given(store: &Path) -> Option<Given> {
    let connection = connect(store, Access::Read).ok()?;
    let read = |sql: &str| {
        let mut statement = connection.prepare(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect::<rusqlite::Result<Vec<(String, i64)>>>()
    };
    Some(Given {
        tables: read("select name, seq from sqlite_sequence").ok()?,
        counters: read(
            "select name, value from counter where name in ('placeholder_uprn', 'restores')",
        )
        .ok()?,
    })
}

/// Raises the numbers to those that the replaced store has given, which may itself be a restored one.
fn raise_to(connection: &Connection, given: &Given) -> rusqlite::Result<()> {
    for (table, number) in &given.tables {
        let raised = connection.execute(
            "update sqlite_sequence set seq = max(seq, $1) where name = $2",
            (number, table),
        )?;
        if raised == 0 {
            connection.execute(
                "insert into sqlite_sequence (name, seq) select name, $1 from sqlite_master \
                 where type = 'table' and name = $2",
                (number, table),
            )?;
        }
    }
    for (counter, number) in &given.counters {
        connection.execute(
            "insert into counter (name, value) values ($1, $2) \
             on conflict (name) do update set value = max(counter.value, excluded.value)",
            (counter, number),
        )?;
    }
    Ok(())
}

/// Raises the counters above all numbers of the lost part, and notes the command. The file has no log
/// afterwards.
fn prepare_restored(file: &Path, given: &Given, note: OperatorCommand) -> Result<(), CopyError> {
    let connection = connect(file, Access::Write)?;
    control(&connection, "begin immediate")?;
    raise_to(&connection, given)
        .map_err(|error| CopyError::Write(file.to_owned(), reason(&error)))?;
    let mut write = Write::new(Session::Sqlite(SqliteSession::new(&connection)));
    write.raise_counters()?;
    let version = write.query_exactly_one(migrations::READ_VERSION, &[], |row| row.integer(0))?;
    // An older store has no place for the note.
    if version >= NOTES_SINCE_VERSION {
        Note::new(note).insert(&mut write)?;
    }
    control(&connection, "commit")?;
    let write_error = |error| CopyError::Write(file.to_owned(), reason(&error));
    // Closing does the same, and tells nobody of a failed sync.
    connection
        .query_row("pragma wal_checkpoint(truncate)", [], |_row| Ok(()))
        .map_err(write_error)?;
    connection.close().map_err(|(_, error)| write_error(error))
}

/// Moves the old store away. SQLite would play its log into the new file, so the log moves too.
fn set_aside(store: &Path) -> Result<(), CopyError> {
    let write_error = |error: io::Error| CopyError::Write(store.to_owned(), error.to_string());
    // A restore that was cut off after the first rename leaves a log without its store.
    let endings = ["", "-wal"].into_iter();
    let moved: Vec<_> = endings
        .filter(|ending| with_ending(store, ending).exists())
        .collect();
    let is_free = |aside: &PathBuf| {
        let mut targets = moved.iter().map(|ending| with_ending(aside, ending));
        targets.all(|target| !target.exists())
    };
    // An older pair is never mixed with this one.
    let mut asides = (1_u32..).map(|number| match number {
        1 => with_ending(store, ".replaced"),
        _ => with_ending(store, &format!(".replaced-{number}")),
    });
    let Some(aside) = asides.find(is_free) else {
        return Ok(());
    };
    for ending in &moved {
        let (from, to) = (with_ending(store, ending), with_ending(&aside, ending));
        std::fs::rename(from, to).map_err(write_error)?;
    }
    match std::fs::remove_file(with_ending(store, "-shm")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(write_error(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn check_integrity(connection: &Connection, copy: &Path) -> Result<(), CopyError> {
    let read_error = |reason: String| CopyError::Read(copy.to_owned(), reason);
    match find_damage(connection).map_err(|error| read_error(reason(&error)))? {
        None => Ok(()),
        Some(damage) => Err(read_error(format!("it is damaged: {damage}"))),
    }
}

fn check_version(connection: &Connection, path: &Path) -> Result<(), CopyError> {
    let version = connection
        .query_row(migrations::READ_VERSION, [], |row| row.get(0))
        .map_err(|error| {
            let reason = format!("it is no store of this program ({})", reason(&error));
            CopyError::Read(path.to_owned(), reason)
        })?;
    migrations::outstanding(&path.display().to_string(), version)?;
    Ok(())
}

impl Unfinished {
    /// In the same folder, because a link or rename cannot leave its file system. Removes the files that killed
    /// runs left there.
    fn beside(path: &Path) -> io::Result<Self> {
        remove_left(folder_of(path))?;
        let ending = format!(".{}.unfinished", std::process::id());
        let path = with_ending(path, &ending);
        let lock = FileLock::exclusive(&path)?;
        let in_use = || io::Error::new(io::ErrorKind::ResourceBusy, "another program writes there");
        Ok(Self {
            _lock: lock.ok_or_else(in_use)?,
            path,
        })
    }

    fn create(&self) -> io::Result<File> {
        let mut options = File::options();
        options.write(true).create_new(true).mode(0o600);
        options.open(&self.path)
    }

    /// Creates the file with the owner of `store` and the contents of `source`.
    fn fill(&self, source: &mut File, store: &Path) -> io::Result<()> {
        let mut file = self.create()?;
        copy_owner(&file, store)?;
        io::copy(source, &mut file)?;
        file.flush()?;
        file.sync_all()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        remove_with_log(&self.path);
    }
}

fn remove_with_log(file: &Path) {
    for ending in ["", "-wal", "-shm", "-journal"] {
        drop(std::fs::remove_file(with_ending(file, ending)));
    }
}

/// Removes the unfinished files in a folder that no program holds.
fn remove_left(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        let Some(file) = name.to_str().and_then(unfinished_of) else {
            continue;
        };
        let file = folder.join(file);
        // The lock is removed when it is dropped. Somebody else's files stay.
        if let Ok(Some(_lock)) = FileLock::try_exclusive(&file) {
            remove_with_log(&file);
        }
    }
    Ok(())
}

/// The unfinished file that a file of this name is, or belongs to.
fn unfinished_of(name: &str) -> Option<&str> {
    const ENDING: &str = ".unfinished";
    let end = name.rfind(ENDING)? + ENDING.len();
    let (file, rest) = name.split_at(end);
    let (_, process) = file.strip_suffix(ENDING)?.rsplit_once('.')?;
    let is_ours = !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
    let is_known = ["", ".lock", "-wal", "-shm", "-journal"].contains(&rest);
    (is_ours && is_known).then_some(file)
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// A new name is durable when its folder is on disk.
fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder_of(path))?.sync_all()
}
