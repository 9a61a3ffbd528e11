//! Raises the counters of a restored store.

use super::SqliteSession;
use crate::Result;

impl SqliteSession<'_> {
    /// Skips a million numbers of every table.
    pub(crate) fn raise_counters(&mut self) -> Result<()> {
        self.execute("update sqlite_sequence set seq = seq + 1000000", &[])?;
        Ok(())
    }
}
