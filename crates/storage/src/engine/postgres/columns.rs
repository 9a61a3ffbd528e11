//! Statements for many rows: each column is one array.

use tokio_postgres::types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked};

use super::PostgresSession;
use crate::engine::EachRow;
use crate::row::{Row, Value};
use crate::{Result, StorageError};

/// The ids that the next rows of a table get.
const RESERVE_IDS: &str = "select nextval(pg_get_serial_sequence(cast($1 as text), 'id')) \
     from generate_series(1, cast($2 as bigint))";

/// One column of the given rows.
#[derive(Debug)]
struct Column<'a> {
    cells: &'a [Value<'a>],
    width: usize,
    at: usize,
}

impl PostgresSession {
    /// `cells` are the rows one after the other, each with `width` values.
    pub(crate) fn execute_each(
        &mut self,
        statement: EachRow,
        cells: &[Value<'_>],
        width: usize,
    ) -> Result<()> {
        let prepared = self.prepare(statement.postgres)?;
        let columns = columns(cells, width);
        let parameters: Vec<_> = columns.iter().map(|column| column as _).collect();
        let outcome = self.client.execute(&prepared, &parameters);
        outcome.map(drop).map_err(|error| self.note(error))
    }

    /// Visits the answers for all rows.
    pub(crate) fn query_each(
        &mut self,
        statement: EachRow,
        cells: &[Value<'_>],
        width: usize,
        mut visit: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let prepared = self.prepare(statement.postgres)?;
        let columns = columns(cells, width);
        let parameters: Vec<_> = columns.iter().map(|column| column as _).collect();
        let rows = self.client.query(&prepared, &parameters);
        for row in rows.map_err(|error| self.note(error))? {
            visit(&Row::Postgres(&row))?;
        }
        Ok(())
    }

    pub(crate) fn reserve_ids(&mut self, table: &'static str, count: i64) -> Result<Vec<i64>> {
        let mut ids = Vec::new();
        self.each(RESERVE_IDS, &[table.into(), count.into()], |row| {
            ids.push(row.integer(0)?);
            Ok(())
        })?;
        let count = usize::try_from(count).unwrap_or_default();
        let is_whole = ids.len() == count;
        let short = || StorageError::Corrupt(format!("{table} has no ids"));
        is_whole.then_some(ids).ok_or_else(short)
    }
}

fn columns<'a>(cells: &'a [Value<'a>], width: usize) -> Vec<Column<'a>> {
    let column = |at| Column { cells, width, at };
    (0..width).map(column).collect()
}

impl ToSql for Column<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        let cells = self.cells.iter().skip(self.at).step_by(self.width);
        if kind == &Type::TEXT_ARRAY {
            let texts = cells.map(|cell| match cell {
                Value::Text(text) => Some(*text),
                Value::Integer(_) | Value::Bytes(_) | Value::Tokens(_) | Value::Null => None,
            });
            return texts.collect::<Vec<_>>().to_sql(kind, out);
        }
        if kind == &Type::BYTEA_ARRAY {
            let bytes = cells.map(|cell| match cell {
                Value::Bytes(bytes) => Some(*bytes),
                Value::Integer(_) | Value::Text(_) | Value::Tokens(_) | Value::Null => None,
            });
            return bytes.collect::<Vec<_>>().to_sql(kind, out);
        }
        let integers = cells.map(|cell| match cell {
            Value::Integer(value) => Some(*value),
            Value::Text(_) | Value::Bytes(_) | Value::Tokens(_) | Value::Null => None,
        });
        integers.collect::<Vec<_>>().to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        [Type::INT8_ARRAY, Type::TEXT_ARRAY, Type::BYTEA_ARRAY].contains(kind)
    }

    to_sql_checked!();
}
