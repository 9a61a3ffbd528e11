//! Figures of the database for the metrics.

use super::{PostgresEngine, PostgresSession};
use crate::Result;
use crate::figures::{DatabaseFigures, StoreFigures};

/// The size of the database, and whether the newest attempt to archive the server's log failed.
const READ_FIGURES: &str = "select pg_database_size(current_database()), \
     cast(case when last_failed_time > coalesce(last_archived_time, '-infinity') then 1 else 0 end \
     as bigint) from pg_stat_archiver";

impl PostgresEngine {
    /// Counts the jobs that wait.
    pub(crate) fn figures(&self) -> StoreFigures {
        StoreFigures {
            engine: "postgres",
            files: None,
            waiting_reads: self.readers.waiting(),
            waiting_writes: self.writer.waiting()
                + self.row_writers.waiting()
                + self.long_workers.waiting(),
        }
    }
}

impl PostgresSession {
    pub(crate) fn database_figures(&mut self) -> Result<Option<DatabaseFigures>> {
        let mut found = None;
        self.each(READ_FIGURES, &[], |row| {
            found = Some(DatabaseFigures {
                bytes: row.integer(0)?,
                is_archiving_failed: row.integer(1)? != 0,
            });
            Ok(())
        })?;
        Ok(found)
    }
}
