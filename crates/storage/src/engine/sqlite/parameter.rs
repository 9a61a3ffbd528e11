//! Values as parameters of statements.

use rusqlite::types::{ToSqlOutput, ValueRef};

use super::address_tokens;
use crate::row::Value;

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match self {
            Value::Integer(value) => ValueRef::Integer(*value),
            Value::Text(value) => ValueRef::Text(value.as_bytes()),
            Value::Bytes(value) => ValueRef::Blob(value),
            Value::Tokens(tokens) => {
                return Ok(ToSqlOutput::from(address_tokens::document(tokens)));
            }
            Value::Null => ValueRef::Null,
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}
