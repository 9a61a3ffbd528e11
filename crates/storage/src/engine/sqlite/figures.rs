//! Figures of the file of a store for the metrics.

use std::fs;
use std::path::{Path, PathBuf};

use super::SqliteEngine;
use crate::figures::{FileFigures, StoreFigures};

impl SqliteEngine {
    /// Looks at the files, and counts the jobs that wait.
    pub(crate) fn figures(&self) -> StoreFigures {
        StoreFigures {
            engine: "sqlite",
            files: self.files.store().and_then(measure),
            waiting_reads: self.readers.waiting(),
            waiting_writes: self.writer.waiting(),
        }
    }
}

fn measure(store: &Path) -> Option<FileFigures> {
    let log = PathBuf::from(format!("{}-wal", store.display()));
    let length = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    let disk = rustix::fs::statvfs(store).ok()?;
    Some(FileFigures {
        bytes: length(store) + length(&log),
        free_bytes: disk.f_bavail.saturating_mul(disk.f_frsize),
        disk_bytes: disk.f_blocks.saturating_mul(disk.f_frsize),
    })
}
