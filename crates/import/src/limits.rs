//! Limits of an import.

/// The most rows in one transaction of an import.
pub const IMPORT_BATCH_ROWS: usize = 2000;

/// After so many changed rows an import refreshes the statistics of the query planner. Fewer rows
/// change no plan, and the refresh reads whole indexes on the writer's connection.
pub const CHANGES_FOR_STATISTICS: u64 = 1000;
