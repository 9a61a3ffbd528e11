//! Limits of an import.

use std::time::Duration;

/// The most rows in one transaction of an import.
pub const IMPORT_BATCH_ROWS: usize = 2000;

/// The fewest rows in one transaction of an import, unless a file ends.
pub const IMPORT_BATCH_ROWS_MIN: usize = 50;

/// The rows of the first transaction of an import.
pub const IMPORT_BATCH_ROWS_FIRST: usize = 500;

/// How long a transaction of an import should take. Others cannot write meanwhile.
pub const IMPORT_BATCH_TIME: Duration = Duration::from_millis(40);

/// After so many changed rows an import refreshes the statistics of the query planner. Fewer rows
/// change no plan, and the refresh reads whole indexes on the writer's connection.
pub const CHANGES_FOR_STATISTICS: u64 = 1000;
