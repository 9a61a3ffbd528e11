//! Figures of a store for the metrics.

/// Figures of one node's part of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreFigures {
    /// `sqlite` or `postgres`.
    pub engine: &'static str,
    /// The files of an SQLite store.
    pub files: Option<FileFigures>,
    /// Reads that wait for a thread.
    pub waiting_reads: usize,
    /// Writes that wait for a thread.
    pub waiting_writes: usize,
}

/// Figures of the files of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileFigures {
    /// The size of the store and its log, in bytes.
    pub bytes: u64,
    /// Bytes of the file system that this program may still write.
    pub free_bytes: u64,
    /// All bytes of the file system.
    pub disk_bytes: u64,
}

/// Figures of a PostgreSQL database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseFigures {
    /// Its size in bytes.
    pub bytes: i64,
    /// Whether the newest attempt to archive the server's log failed.
    pub is_archiving_failed: bool,
}
