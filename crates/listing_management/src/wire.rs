//! Bodies of listing and chain management, in the formats of document 2.

pub(crate) mod bottleneck;
pub(crate) mod catalogue;
pub(crate) mod changes;
pub(crate) mod directory;
pub(crate) mod document;
pub(crate) mod forecast;
pub(crate) mod history;
pub(crate) mod listing;
pub(crate) mod milestone;
pub(crate) mod proposal;

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{Object, ObjectBuilder, Schema, Type};
use web::schema::{anything, id, integer_or_text, nothing};

/// The answer of an operation that returns no data.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Success)]
pub(crate) struct SuccessAnswer {
    #[schema(pattern = "^success$")]
    message: &'static str,
    /// Always true.
    success: bool,
    #[schema(schema_with = nothing)]
    data: [(); 0],
    #[schema(schema_with = nothing)]
    errors: [(); 0],
}

/// The answer of a yes-or-no question.
// S-52
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Verdict {
    #[schema(pattern = "^success$")]
    message: &'static str,
    /// Always true.
    success: bool,
    data: VerdictData,
    #[schema(schema_with = nothing)]
    errors: [(); 0],
}

#[derive(Debug, Serialize, ToSchema)]
struct VerdictData {
    result: bool,
}

/// An id: a number, or a string if the request includes milestones.
// S-48
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Id {
    /// A number.
    Number(i64),
    /// A string.
    Text(String),
}

/// The type and id of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Identifier {
    /// The type of the resource.
    pub r#type: &'static str,
    /// The id of the resource.
    pub id: Id,
}

/// The target of a relationship to one resource.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RelatedOne {
    pub data: Identifier,
}

/// The targets of a relationship to any number of resources.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RelatedMany {
    pub data: Vec<Identifier>,
}

/// The targets of a relationship to one resource or several.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Related {
    #[schema(schema_with = one_or_many)]
    pub data: OneOrMany,
}

/// One resource or several.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One resource.
    One(Identifier),
    /// Any number of resources.
    Many(Vec<Identifier>),
}

/// The schema of `OneOrMany`. Client generators fail for a choice between an object and an array.
fn one_or_many() -> Object {
    anything("One resource, an object with `type` and `id`; or an array of several.")
}

impl ToSchema for Id {}

impl utoipa::PartialSchema for Id {
    fn schema() -> RefOr<Schema> {
        integer_or_text(id(), ObjectBuilder::new().schema_type(Type::String))
            .description(Some(
                "An id: a number, or a string if the request includes milestones.",
            ))
            .into()
    }
}

impl Default for SuccessAnswer {
    fn default() -> Self {
        Self {
            message: "success",
            success: true,
            data: [],
            errors: [],
        }
    }
}

impl Verdict {
    /// Answers the question with `result`.
    pub(crate) fn new(result: bool) -> Self {
        Self {
            message: "success",
            success: true,
            data: VerdictData { result },
            errors: [],
        }
    }
}

impl Id {
    /// A listing's id. It is a string if the answer includes milestones (S-48).
    pub(crate) fn of_listing(id: chain::ids::ListingId, is_text: bool) -> Self {
        if is_text {
            Self::Text(id.to_string())
        } else {
            Self::Number(id.0)
        }
    }
}
