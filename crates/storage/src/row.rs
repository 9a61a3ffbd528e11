//! Parameters of a statement and rows of its answer, the same for both engines.

use crate::{Result, StorageError};

/// One parameter of a statement.
#[derive(Debug, Clone, Copy)]
pub enum Value<'a> {
    /// A `bigint` or `smallint`.
    Integer(i64),
    /// A `text`.
    Text(&'a str),
    /// Bytes.
    Bytes(&'a [u8]),
    /// Tokens of an address, for the index of the engine.
    Tokens(&'a [i32]),
    /// SQL null.
    Null,
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Value::Integer(value)
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Value::Integer(i64::from(value))
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Value::Text(value)
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(value: &'a String) -> Self {
        Value::Text(value)
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(value: &'a [u8]) -> Self {
        Value::Bytes(value)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

impl From<chain::ids::ListingId> for Value<'_> {
    fn from(value: chain::ids::ListingId) -> Self {
        Value::Integer(value.0)
    }
}

impl From<chain::ids::PropertyId> for Value<'_> {
    fn from(value: chain::ids::PropertyId) -> Self {
        Value::Integer(value.0)
    }
}

impl From<chain::ids::BranchId> for Value<'_> {
    fn from(value: chain::ids::BranchId) -> Self {
        Value::Integer(value.0)
    }
}

/// One row of an answer. Columns count from 0.
#[derive(Debug)]
pub enum Row<'r> {
    #[doc(hidden)]
    Sqlite(&'r rusqlite::Row<'r>),
    #[doc(hidden)]
    Postgres(&'r tokio_postgres::Row),
}

impl Row<'_> {
    /// Reads a `bigint` or `smallint` that is never null.
    pub fn integer(&self, column: usize) -> Result<i64> {
        self.optional_integer(column)?
            .ok_or_else(|| StorageError::Corrupt(format!("column {column} is null")))
    }

    /// Reads a `bigint` or `smallint`.
    pub fn optional_integer(&self, column: usize) -> Result<Option<i64>> {
        match self {
            Row::Sqlite(row) => row.get(column).map_err(|error| unreadable(column, &error)),
            Row::Postgres(row) => {
                let small = row.columns()[column].type_() == &tokio_postgres::types::Type::INT2;
                if small {
                    row.try_get::<_, Option<i16>>(column)
                        .map(|value| value.map(i64::from))
                } else {
                    row.try_get(column)
                }
                .map_err(|error| unreadable(column, &error))
            }
        }
    }

    /// Reads a flag, stored as `smallint` 0 or 1.
    pub(crate) fn flag(&self, column: usize) -> Result<bool> {
        Ok(self.integer(column)? != 0)
    }

    /// Reads a `text` that is never null.
    pub fn text(&self, column: usize) -> Result<String> {
        self.str(column).map(ToOwned::to_owned)
    }

    /// Borrows a `text` that is never null.
    pub(crate) fn str(&self, column: usize) -> Result<&str> {
        self.optional_str(column)?
            .ok_or_else(|| StorageError::Corrupt(format!("column {column} is null")))
    }

    /// Reads a `text`.
    pub fn optional_text(&self, column: usize) -> Result<Option<String>> {
        Ok(self.optional_str(column)?.map(ToOwned::to_owned))
    }

    fn optional_str(&self, column: usize) -> Result<Option<&str>> {
        match self {
            Row::Sqlite(row) => row
                .get_ref(column)
                .map_err(|error| unreadable(column, &error))?
                .as_str_or_null()
                .map_err(|error| unreadable(column, &error)),
            Row::Postgres(row) => row
                .try_get(column)
                .map_err(|error| unreadable(column, &error)),
        }
    }

    /// Reads bytes that are never null.
    pub fn bytes(&self, column: usize) -> Result<Vec<u8>> {
        match self {
            Row::Sqlite(row) => row.get(column).map_err(|error| unreadable(column, &error)),
            Row::Postgres(row) => row
                .try_get(column)
                .map_err(|error| unreadable(column, &error)),
        }
    }

    /// Reads and parses a `text`, such as a chain id.
    pub(crate) fn parsed<T: std::str::FromStr>(&self, column: usize) -> Result<T> {
        let text = self.str(column)?;
        text.parse().map_err(|_invalid| {
            StorageError::Corrupt(format!("column {column} holds `{text}`, which is invalid"))
        })
    }
}

fn unreadable(column: usize, error: &dyn std::fmt::Display) -> StorageError {
    StorageError::Corrupt(format!("column {column} cannot be read: {error}"))
}
