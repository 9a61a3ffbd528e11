//! The file outside the store with all erasures (S-63), a line of JSON each. A restore repeats them.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::limits::ERASURES_BYTES_MAX;

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// The id of the listing.
    pub listing: i64,
    /// When the listing was created, in Unix seconds. A listing of another store with the same id has another
    /// time.
    pub created_at: i64,
    /// When its erasure was asked for: RFC 3339 in UTC.
    pub erased_at: String,
    /// Why, in the operator's words.
    pub reason: String,
}

impl Line {
    fn is_about(&self, other: &Self) -> bool {
        (self.listing, self.created_at) == (other.listing, other.created_at)
    }
}

/// All lines. Empty if there is no file.
///
/// # Errors
/// [`Fault::Erasures`] if the file cannot be read or holds something else.
pub fn read(path: &Path) -> Result<Vec<Line>, Fault> {
    let reading = File::open(path).and_then(|mut file| read_lines(&mut file));
    match reading {
        Ok((lines, _whole)) => Ok(lines),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(refused(path, &error)),
    }
}

/// Adds a line, unless the file has one about the same listing, and returns the line that the file has. It is on
/// disk when this returns.
///
/// # Errors
/// [`Fault::Erasures`].
pub fn append(path: &Path, line: Line) -> Result<Line, Fault> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let opened = options.mode(0o600).open(path);
    let added = opened.and_then(|file| add(file, path, line));
    added.map_err(|error| refused(path, &error))
}

fn add(mut file: File, path: &Path, line: Line) -> io::Result<Line> {
    file.lock()?;
    let (lines, whole) = read_lines(&mut file)?;
    if let Some(known) = lines.into_iter().find(|known| known.is_about(&line)) {
        return Ok(known);
    }
    let mut text = serde_json::to_string(&line)?;
    text.push('\n');
    // A crash may have left a part of a line, before its store changed.
    file.set_len(whole)?;
    file.seek(SeekFrom::Start(whole))?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    // A new name is on disk once its directory is.
    let directory = path.parent().filter(|one| !one.as_os_str().is_empty());
    File::open(directory.unwrap_or(Path::new(".")))?.sync_all()?;
    Ok(line)
}

/// The whole lines of the file, and their length in bytes.
fn read_lines(file: &mut File) -> io::Result<(Vec<Line>, u64)> {
    let mut text = String::new();
    file.take(ERASURES_BYTES_MAX + 1)
        .read_to_string(&mut text)?;
    if text.len() as u64 > ERASURES_BYTES_MAX {
        return Err(io::Error::other("it is too long"));
    }
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let lines = text[..whole].lines().zip(1..).map(|(line, number)| {
        let parsed = serde_json::from_str(line);
        parsed.map_err(|error| io::Error::other(format!("line {number}: {error}")))
    });
    Ok((lines.collect::<io::Result<_>>()?, whole as u64))
}

fn refused(path: &Path, error: &io::Error) -> Fault {
    Fault::Erasures {
        path: path.to_owned(),
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(listing: i64) -> Line {
        Line {
            listing,
            created_at: 5,
            erased_at: "2026-11-28T09:30:00Z".to_owned(),
            reason: "their \"request\"".to_owned(),
        }
    }

    #[test]
    fn lines_are_read_as_they_were_added_and_a_torn_one_was_never_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("erasures");
        assert_eq!(read(&path).unwrap(), []);
        append(&path, line(1)).unwrap();
        append(&path, line(2)).unwrap();
        // The first reason counts.
        let again = Line {
            reason: "again".to_owned(),
            ..line(1)
        };
        assert_eq!(append(&path, again).unwrap(), line(1));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}{{\"listing\":3,\"cre")).unwrap();
        assert_eq!(read(&path).unwrap(), [line(1), line(2)]);
        append(&path, line(4)).unwrap();
        assert_eq!(read(&path).unwrap(), [line(1), line(2), line(4)]);
        std::fs::write(&path, "what is this\n").unwrap();
        let fault = append(&path, line(5)).unwrap_err().to_string();
        assert!(
            fault.contains("erasures_file") && fault.contains("line 1"),
            "{fault}"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "what is this\n");
    }
}
