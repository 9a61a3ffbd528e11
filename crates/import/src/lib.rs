//! Imports the rows of files into the store, in batches.

pub mod apply;
pub mod limits;
pub mod reader;
pub mod row;

use std::path::PathBuf;
use std::sync::Arc;

use observe::clock::Clock;
use storage::{Storage, StorageError};

use self::apply::{Batch, BatchReport, Holders};
use self::reader::{Located, OpenError};

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
#[derive(Debug)]
pub struct BadRow {
    /// The name of the file.
    pub file: String,
    /// The line of the file, counted from 1.
    pub line: u64,
    /// What is wrong with the row, and how to correct it.
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
    /// The store failed.
    #[error("the import stopped: {0}; what was stored stays, and the import can be run again")]
    Storage(#[from] StorageError),
}

/// Each batch of an import takes this from the batch before it and adds to it.
#[derive(Debug, Default)]
struct Progress {
    report: ImportReport,
    holders: Arc<Holders>,
}

/// Imports the files in order. Blocks.
pub fn import_files(
    storage: &Storage,
    clock: &Clock,
    files: &[PathBuf],
    observer: &mut dyn Observer,
) -> Result<ImportReport, ImportError> {
    let mut progress = Progress::default();
    // Every file is opened before the first is read, so a misspelled name changes nothing.
    let readers = files
        .iter()
        .map(|file| reader::open(file))
        .collect::<Result<Vec<_>, _>>()?;
    for (file, mut rows) in files.iter().zip(readers) {
        observer.begin(&file.display().to_string(), rows.total_bytes());
        loop {
            let batch: Vec<Located> = rows.by_ref().take(limits::IMPORT_BATCH_ROWS).collect();
            if batch.is_empty() {
                break;
            }
            import_batch(storage, clock, batch, &mut progress, observer)?;
            observer.advance(rows.bytes_read(), progress.report.rows);
        }
    }
    if progress.report.changed >= limits::CHANGES_FOR_STATISTICS {
        storage.write_blocking(storage::maintenance::refresh_statistics)?;
    }
    Ok(progress.report)
}

fn import_batch(
    storage: &Storage,
    clock: &Clock,
    located: Vec<Located>,
    progress: &mut Progress,
    observer: &mut dyn Observer,
) -> Result<(), ImportError> {
    let report = &mut progress.report;
    report.rows += located.len() as u64;
    let mut places = Vec::with_capacity(located.len());
    let mut rows = Vec::with_capacity(located.len());
    let mut refused = Vec::new();
    for located in located {
        let place = (located.file, located.line);
        match located.row {
            Ok(row) => {
                places.push(place);
                rows.push(row);
            }
            Err(error) => refused.push((place, error.to_string())),
        }
    }
    let now = clock.now_seconds();
    let holders = Arc::clone(&progress.holders);
    let done: BatchReport = storage
        .write_blocking(move |write| Batch::new(now, Arc::clone(&holders)).apply(write, &rows))?;
    report.changed += done.changed;
    report.unchanged += done.unchanged;
    for (index, reason) in done.refused {
        refused.push((places[index].clone(), reason));
    }
    refused.sort_by_key(|((_file, line), _reason)| *line);
    report.bad += refused.len() as u64;
    for ((file, line), reason) in refused {
        observer.refuse(&BadRow {
            file: file.display().to_string(),
            line,
            reason,
        });
    }
    Arc::make_mut(&mut progress.holders).extend(done.holders);
    Ok(())
}
