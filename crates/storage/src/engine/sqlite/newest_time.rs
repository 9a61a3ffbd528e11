//! The newest time at which a program probed the store, so that a clock that went back is noticed.

use super::SqliteSession;
use crate::{Result, StorageError};

/// Keeps the later of the two times.
const KEEP_LATER: &str = "insert into counter (name, value) values ('newest_probe', $1) \
     on conflict (name) do update set value = max(value, excluded.value) returning value";
/// Forgets the time before.
const KEEP_NEW: &str = "insert into counter (name, value) values ('newest_probe', $1) \
     on conflict (name) do update set value = excluded.value returning value";

impl SqliteSession<'_> {
    /// Notes this time, in Unix milliseconds. Returns the newest time that was noted, or this one if
    /// `is_trusted`.
    pub(crate) fn note_time(&mut self, now: i64, is_trusted: bool) -> Result<i64> {
        let sql = if is_trusted { KEEP_NEW } else { KEEP_LATER };
        let mut newest = None;
        self.each(sql, &[now.into()], |row| {
            newest = Some(row.integer(0)?);
            Ok(())
        })?;
        newest.ok_or_else(|| StorageError::Corrupt("no time was noted".to_owned()))
    }
}
