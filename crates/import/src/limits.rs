//! Limits of an import.

/// The most rows in one transaction of an import.
pub const IMPORT_BATCH_ROWS: usize = 2000;
