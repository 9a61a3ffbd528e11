//! Converts parameters of a statement to the types of PostgreSQL.

use tokio_postgres::types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked};

use crate::row::Value;

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Value::Integer(value) if kind == &Type::INT2 => {
                i16::try_from(*value)?.to_sql(kind, out)
            }
            Value::Integer(value) if kind == &Type::INT4 => {
                i32::try_from(*value)?.to_sql(kind, out)
            }
            Value::Integer(value) => value.to_sql(kind, out),
            Value::Text(value) => value.to_sql(kind, out),
            Value::Bytes(value) => value.to_sql(kind, out),
            Value::Tokens(tokens) => tokens.to_sql(kind, out),
            Value::Null => Ok(IsNull::Yes),
        }
    }

    fn accepts(kind: &Type) -> bool {
        [
            Type::INT2,
            Type::INT4,
            Type::INT8,
            Type::INT4_ARRAY,
            Type::BYTEA,
            Type::TEXT,
            Type::VARCHAR,
        ]
        .contains(kind)
    }

    to_sql_checked!();
}
