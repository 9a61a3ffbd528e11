//! The bodies of listing and chain management, in document 2's shapes.

pub mod catalogue;
pub mod directory;
pub mod document;
pub mod failure;
pub mod history;
pub mod listing;
pub mod milestone;

use serde::Serialize;

/// The simple success response.
#[derive(Debug, Serialize)]
pub struct SuccessAnswer {
    message: &'static str,
    success: bool,
    data: [(); 0],
    errors: [(); 0],
}

/// The success response of a question with one answer (S-52).
#[derive(Debug, Serialize)]
pub struct Verdict {
    message: &'static str,
    success: bool,
    data: VerdictData,
    errors: [(); 0],
}

#[derive(Debug, Serialize)]
struct VerdictData {
    result: bool,
}

/// A body with nothing but its data.
#[derive(Debug, Serialize)]
pub struct Data<T> {
    /// What was asked for.
    pub data: T,
}

/// A page of a list.
#[derive(Debug, Serialize)]
pub struct List<T> {
    /// The entries of this page.
    pub data: Vec<T>,
    /// Where the page is.
    pub meta: crate::management::page::Meta,
}

/// An id that is a number in some documents and a text in others (S-48).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Id {
    /// As a number.
    Number(i64),
    /// As a text.
    Text(String),
}

/// Names a resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Identifier {
    /// Its type.
    pub r#type: &'static str,
    /// Its id.
    pub id: Id,
}

/// What a relationship leads to.
#[derive(Debug, Clone, Serialize)]
pub struct Related {
    /// One resource or several.
    pub data: OneOrMany,
}

/// One resource or several.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(Identifier),
    /// Any number.
    Many(Vec<Identifier>),
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
    pub fn new(result: bool) -> Self {
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
    pub fn of_listing(id: chain::ids::ListingId, is_text: bool) -> Self {
        if is_text {
            Self::Text(id.to_string())
        } else {
            Self::Number(id.0)
        }
    }
}
