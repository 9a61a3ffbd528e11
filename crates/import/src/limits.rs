//! Bounds of an import.

/// Rows that one transaction of an import carries.
pub const IMPORT_BATCH_ROWS: usize = 2000;
