//! The bodies of listing and chain management, in document 2's shapes.

pub(crate) mod catalogue;
pub(crate) mod directory;
pub(crate) mod document;
pub(crate) mod failure;
pub(crate) mod history;
pub(crate) mod listing;
pub(crate) mod milestone;

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{Array, ArrayBuilder};

/// The simple success response.
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

/// The success response of a question with one answer.
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

/// The answer itself.

#[derive(Debug, Serialize, ToSchema)]
struct VerdictData {
    result: bool,
}

/// A body with nothing but its data.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Data<T> {
    /// What was asked for.
    pub data: T,
}

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct List<T> {
    /// The entries of this page.
    pub data: Vec<T>,
    /// Where the page is.
    pub meta: crate::listing_management::page::Meta,
}

/// An id: a number, or a text where milestones are among the includes.
// S-48
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum Id {
    /// As a number.
    Number(i64),
    /// As a text.
    Text(String),
}

/// Names a resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Identifier {
    /// The type of the resource.
    pub r#type: &'static str,
    /// The id of the resource.
    pub id: Id,
}

/// What a relationship leads to.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Related {
    /// One resource or several.
    pub data: OneOrMany,
}

/// One resource or several.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum OneOrMany {
    /// One.
    One(Identifier),
    /// Any number.
    Many(Vec<Identifier>),
}

/// The schema of an array in which nothing ever is.
fn nothing() -> Array {
    ArrayBuilder::new().max_items(Some(0)).build()
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
    /// The answer `result`.
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
    /// A listing's id, as a text where milestones are shown with it (S-48).
    pub(crate) fn of_listing(id: chain::ids::ListingId, is_text: bool) -> Self {
        if is_text {
            Self::Text(id.to_string())
        } else {
            Self::Number(id.0)
        }
    }
}
