//! Imports the rows of files into the store, in batches.

pub mod apply;
pub mod limits;
mod pace;
pub mod reader;
pub mod row;
#[cfg(test)]
mod tests;

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use observe::clock::{Clock, Stopwatch};
use storage::{Storage, StorageError};

use self::apply::{BatchReport, Holders, apply_batch};
use self::pace::Pace;
use self::reader::{Located, OpenError, RowReader};
use self::row::Row;

/// The result of an import.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct ImportReport {
    /// Rows read, bad ones included.
    pub rows: u64,
    /// Rows that changed the store.
    pub changed: u64,
    /// Rows that the store held already.
    pub unchanged: u64,
    /// Rows that were refused.
    pub bad: u64,
}

/// A row that was refused.
#[derive(Debug, Clone, serde::Serialize)]
pub struct BadRow {
    /// The name of the file.
    pub file: String,
    /// The line of the file, counted from 1.
    pub line: u64,
    /// The fault of the row, and its remedy.
    pub reason: String,
}

/// Receives the progress of an import.
pub trait Observer {
    /// A file begins; `total_bytes` is its size, if known.
    fn begin(&mut self, file: &str, total_bytes: Option<u64>);
    /// `bytes_read` bytes of the file are read, and `rows` rows are in the store.
    fn advance(&mut self, bytes_read: u64, rows: u64);
    /// A row was refused.
    fn refuse(&mut self, bad: &BadRow);
}

/// The reasons why an import ends early. Rows reported as stored stay stored, and the import can be
/// run again.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A file, or standard input, has no rows.
    #[error("{} has no rows: check how it was made, and import it again", file.display())]
    Empty {
        /// The file as it was named.
        file: PathBuf,
    },
    /// The store failed.
    #[error("the import stopped: {0}; what was stored stays, and the import can be run again")]
    Storage(#[from] StorageError),
}

/// Rows of a file that one transaction applies.
struct ReadBatch {
    rows: Vec<Row>,
    rest: Rest,
}

/// The part of a batch that the transaction does not need.
struct Rest {
    /// The file and the line of each row.
    places: Vec<Place>,
    /// The rows that could not be read, with the reasons.
    refused: Vec<(Place, String)>,
}

type Place = (Arc<Path>, u64);

/// Each batch of an import takes this from the batch before it and adds to it.
#[derive(Debug, Default)]
struct Progress {
    report: ImportReport,
    holders: Arc<Holders>,
}

/// Why the transaction of [`check_files`] is rolled back.
enum RolledBack {
    /// It always is, after these batches.
    Checked(Vec<BatchReport>),
    /// The store failed.
    Failed(StorageError),
}

impl From<StorageError> for RolledBack {
    fn from(error: StorageError) -> Self {
        Self::Failed(error)
    }
}

/// Imports the files in order. Blocks.
pub fn import_files(
    storage: &Storage,
    clock: &Clock,
    files: &[PathBuf],
    observer: &mut dyn Observer,
) -> Result<ImportReport, ImportError> {
    let mut progress = Progress::default();
    read_files(files, observer, |batch, pace, observer| {
        let ReadBatch { rows, rest } = batch;
        let length = rows.len();
        let (clock, holders) = (clock.clone(), Arc::clone(&progress.holders));
        let (done, took) = storage.write_part_blocking(move |write| {
            let working = Stopwatch::start();
            // Not before: on a busy store, the wait for the transaction is long (S-60).
            let now = clock.now_seconds();
            let done = apply_batch(write, &rows, now, &holders)?;
            Ok::<_, StorageError>((done, working.elapsed()))
        })?;
        pace.note(length, took);
        progress.add(rest, done, observer);
        Ok(progress.report.rows)
    })?;
    if progress.report.changed >= limits::CHANGES_FOR_STATISTICS {
        storage.write_blocking(storage::maintenance::refresh_statistics)?;
    }
    Ok(progress.report)
}

/// Reports what [`import_files`] would do, and changes nothing: one transaction applies all rows and
/// is rolled back. The rows are in memory, and no other write is done meanwhile. Blocks.
pub fn check_files(
    storage: &Storage,
    clock: &Clock,
    files: &[PathBuf],
    observer: &mut dyn Observer,
) -> Result<ImportReport, ImportError> {
    let (mut rows, mut rests) = (Vec::new(), Vec::new());
    read_files(files, observer, |batch, _pace, _observer| {
        rows.push(batch.rows);
        rests.push(batch.rest);
        Ok(0)
    })?;
    let clock = clock.clone();
    let checked = storage.write_under_row_locks_blocking(move |write| {
        let now = clock.now_seconds();
        let (mut holders, mut done) = (Arc::<Holders>::default(), Vec::new());
        for batch in &rows {
            let report = apply_batch(write, batch, now, &holders)?;
            Arc::make_mut(&mut holders).extend(report.holders.clone());
            done.push(report);
        }
        Err::<Infallible, _>(RolledBack::Checked(done))
    });
    let done = match checked {
        Err(RolledBack::Checked(done)) => done,
        Err(RolledBack::Failed(error)) => return Err(error.into()),
        Ok(never) => match never {},
    };
    let mut progress = Progress::default();
    for (rest, done) in rests.into_iter().zip(done) {
        progress.add(rest, done, observer);
    }
    Ok(progress.report)
}

/// Reads the files in order and hands each batch to `take`, which returns how many rows are stored.
fn read_files<'a>(
    files: &[PathBuf],
    observer: &mut (dyn Observer + 'a),
    mut take: impl FnMut(ReadBatch, &mut Pace, &mut (dyn Observer + 'a)) -> Result<u64, ImportError>,
) -> Result<(), ImportError> {
    // Every file is opened before the first is read, so a misspelled name changes nothing.
    let readers = files
        .iter()
        .map(|file| reader::open(file))
        .collect::<Result<Vec<_>, _>>()?;
    let mut pace = Pace::default();
    for (file, mut reader) in files.iter().zip(readers) {
        observer.begin(&file.display().to_string(), reader.total_bytes());
        let mut is_empty = true;
        while let Some(batch) = ReadBatch::read(&mut reader, pace.rows()) {
            is_empty = false;
            let stored = take(batch, &mut pace, observer)?;
            observer.advance(reader.bytes_read(), stored);
        }
        if is_empty {
            let file = reader.name().to_owned();
            return Err(ImportError::Empty { file });
        }
    }
    Ok(())
}

impl ReadBatch {
    /// At most the next `length` rows. `None` at the end of the file.
    fn read(reader: &mut RowReader, length: usize) -> Option<Self> {
        let (mut rows, mut places, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for Located { file, line, row } in reader.take(length) {
            match row {
                Ok(row) => {
                    places.push((file, line));
                    rows.push(row);
                }
                Err(error) => refused.push(((file, line), error.to_string())),
            }
        }
        let is_empty = rows.is_empty() && refused.is_empty();
        (!is_empty).then_some(Self {
            rows,
            rest: Rest { places, refused },
        })
    }
}

impl Progress {
    /// Adds a batch that was applied, and reports its refused rows.
    fn add(&mut self, rest: Rest, done: BatchReport, observer: &mut dyn Observer) {
        let Rest {
            places,
            mut refused,
        } = rest;
        self.report.rows += (places.len() + refused.len()) as u64;
        self.report.changed += done.changed;
        self.report.unchanged += done.unchanged;
        for (index, reason) in done.refused {
            refused.push((places[index].clone(), reason));
        }
        refused.sort_by_key(|((_file, line), _reason)| *line);
        self.report.bad += refused.len() as u64;
        for ((file, line), reason) in refused {
            observer.refuse(&BadRow {
                file: file.display().to_string(),
                line,
                reason,
            });
        }
        Arc::make_mut(&mut self.holders).extend(done.holders);
    }
}
