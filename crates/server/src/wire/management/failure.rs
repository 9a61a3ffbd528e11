//! The failure body of S-40.

use serde::Serialize;
use utoipa::ToSchema;

/// Why a request failed.
#[derive(Debug, Serialize, ToSchema)]
pub struct Failure {
    /// For people.
    pub message: String,
    /// Always false.
    pub success: bool,
    /// Always empty.
    #[schema(schema_with = super::nothing)]
    pub data: [(); 0],
    /// At least one.
    #[schema(min_items = 1)]
    pub errors: Vec<FailureEntry>,
}

/// One thing that is wrong.
#[derive(Debug, Serialize, ToSchema)]
pub struct FailureEntry {
    /// Which kind, for programs.
    #[schema(pattern = "^[a-z_]+$")]
    pub code: String,
    /// The field or side at fault, where it is one alone.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What is wrong, and what is right.
    pub detail: String,
}
