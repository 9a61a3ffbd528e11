//! The failure body of listing and chain management (S-40).

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Why a request failed.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Failure {
    /// A description for people.
    pub message: String,
    /// Always false.
    pub success: bool,
    /// Always empty.
    #[schema(schema_with = crate::schema::nothing)]
    pub data: [(); 0],
    /// The errors, at least one.
    #[schema(min_items = 1)]
    pub errors: Vec<FailureEntry>,
}

/// One error of a request.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FailureEntry {
    /// The kind of error, for programs.
    #[schema(pattern = "^[a-z_]+$")]
    pub code: String,
    /// The field or side at fault. Present only if exactly one is at fault.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The error, and its correction.
    pub detail: String,
}
