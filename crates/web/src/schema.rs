//! Builders for schemas. Their values come from the program's tables and limits.

use utoipa::openapi::schema::{
    AllOfBuilder, AnyOfBuilder, Object, ObjectBuilder, OneOfBuilder, SchemaType, Type,
};
use utoipa::openapi::{RefOr, Schema, SchemaFormat};

use crate::limits;

/// Defines a type for the `request_body` of `utoipa::path`: `body!(NAME = SCHEMA)`.
#[macro_export]
macro_rules! body {
    ($name:ident = $schema:expr) => {
        pub(crate) struct $name;

        impl ::utoipa::ToSchema for $name {}

        impl ::utoipa::PartialSchema for $name {
            fn schema() -> ::utoipa::openapi::RefOr<::utoipa::openapi::Schema> {
                $schema.into()
            }
        }
    };
}

/// A string that is one of `values`.
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

/// An integer from 1 to a signed limit.
pub fn positive(maximum: i64) -> ObjectBuilder {
    integer(1, maximum.unsigned_abs())
}

/// An id that the service assigned.
pub fn id() -> ObjectBuilder {
    positive(limits::INTEGER_MAX)
}

/// A value of any type.
pub fn anything(description: &str) -> Object {
    ObjectBuilder::new()
        .schema_type(SchemaType::AnyValue)
        .description(Some(description))
        .build()
}

/// An integer, or a string with the same meaning. Client generators need the integer first.
pub fn integer_or_text(integer: ObjectBuilder, text: ObjectBuilder) -> AnyOfBuilder {
    AnyOfBuilder::new().item(integer).item(text)
}

/// An integer without bounds.
pub fn any_integer() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Integer)
}

/// True or false.
pub fn flag() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Boolean)
}

/// A string of at most `characters_max` characters.
pub fn text_or_empty(characters_max: usize) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .max_length(Some(characters_max))
}

/// A string in a format that JSON Schema defines.
pub fn formatted(format: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .format(Some(SchemaFormat::Custom(format.to_owned())))
}

/// A string of 1 to `characters_max` characters that is not all white space.
pub fn text(characters_max: usize) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(characters_max))
        .pattern(Some(r"\S"))
}

/// Converts a limit. All limits are far below `usize::MAX`.
fn to_number(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

/// An object that must have exactly one of the members `names`.
pub fn exactly_one_of<const N: usize>(names: [&str; N], members: ObjectBuilder) -> RefOr<Schema> {
    let choices = names
        .into_iter()
        .fold(OneOfBuilder::new(), |choices, name| {
            choices.item(having(name))
        });
    AllOfBuilder::new().item(members).item(choices).into()
}

/// An object that must have at least one of the members `names`.
pub fn at_least_one_of<const N: usize>(names: [&str; N], members: ObjectBuilder) -> RefOr<Schema> {
    let choices = names
        .into_iter()
        .fold(AnyOfBuilder::new(), |choices, name| {
            choices.item(having(name))
        });
    AllOfBuilder::new().item(members).item(choices).into()
}

fn having(name: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(SchemaType::AnyValue)
        .required(name)
}

/// The schema of an array that is always empty.
pub fn nothing() -> utoipa::openapi::schema::Array {
    utoipa::openapi::schema::ArrayBuilder::new()
        .max_items(Some(0))
        .build()
}
