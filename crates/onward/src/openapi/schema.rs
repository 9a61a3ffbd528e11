//! Schemas that take their values from the program's own tables and limits.

use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

/// A text that is one of these.
pub fn one_of_texts(values: impl IntoIterator<Item = &'static str>) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(values))
}

/// An integer from `minimum` to `maximum`.
pub fn integer(minimum: u64, maximum: u64) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(to_number(minimum)))
        .maximum(Some(to_number(maximum)))
}

/// A text of 1 to so many characters that are not all white space.
pub fn text(characters_max: usize) -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(characters_max))
        .pattern(Some(r"\S"))
        .build()
}

/// Limits are far below what any processor's word holds.
fn to_number(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}
