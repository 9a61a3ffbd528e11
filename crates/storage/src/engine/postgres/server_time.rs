//! The time of the database server, with which a node compares its own.

use super::PostgresSession;
use crate::{Result, StorageError};

impl PostgresSession {
    /// The server's time in Unix milliseconds.
    pub(crate) fn server_time(&mut self) -> Result<i64> {
        let sql = "select cast(extract(epoch from clock_timestamp()) * 1000 as bigint)";
        let mut time = None;
        self.each(sql, &[], |row| {
            time = Some(row.integer(0)?);
            Ok(())
        })?;
        time.ok_or_else(|| StorageError::Corrupt("the database told no time".to_owned()))
    }
}
