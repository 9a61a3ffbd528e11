//! Statements for many rows, which run once for each.

use super::SqliteSession;
use super::error::storage_error;
use crate::Result;
use crate::engine::EachRow;
use crate::row::{Row, Value};

/// The highest id that a table ever had.
const LAST_ID: &str = "select coalesce(max(seq), 0) from sqlite_sequence where name = $1";

impl SqliteSession<'_> {
    /// `cells` are the rows one after the other, each with `width` values.
    pub(crate) fn execute_each(
        &mut self,
        statement: EachRow,
        cells: &[Value<'_>],
        width: usize,
    ) -> Result<()> {
        let mut prepared = self.prepare(statement.sqlite, &[])?;
        for row in cells.chunks(width) {
            bind(&mut prepared, row)?;
            prepared.raw_execute().map_err(storage_error)?;
        }
        Ok(())
    }

    /// Visits the answers for all rows.
    pub(crate) fn query_each(
        &mut self,
        statement: EachRow,
        cells: &[Value<'_>],
        width: usize,
        mut visit: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut prepared = self.prepare(statement.sqlite, &[])?;
        for row in cells.chunks(width) {
            bind(&mut prepared, row)?;
            let mut rows = prepared.raw_query();
            while let Some(row) = rows.next().map_err(storage_error)? {
                visit(&Row::Sqlite(row))?;
            }
        }
        Ok(())
    }

    /// Ids above all that the table ever had. Nobody else can take them in this transaction.
    pub(crate) fn reserve_ids(&mut self, table: &'static str, count: i64) -> Result<Vec<i64>> {
        let mut last = 0;
        self.each(LAST_ID, &[table.into()], |row| {
            last = row.integer(0)?;
            Ok(())
        })?;
        Ok((last + 1..=last + count).collect())
    }
}

fn bind(statement: &mut rusqlite::Statement<'_>, row: &[Value<'_>]) -> Result<()> {
    for (index, value) in (1..).zip(row) {
        let bound = statement.raw_bind_parameter(index, value);
        bound.map_err(storage_error)?;
    }
    Ok(())
}
