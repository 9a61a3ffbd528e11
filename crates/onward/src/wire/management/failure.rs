//! The failure body of S-40.

use serde::Serialize;

/// Why a request failed.
#[derive(Debug, Serialize)]
pub struct Failure {
    /// For people.
    pub message: String,
    /// Always false.
    pub success: bool,
    /// Always empty.
    pub data: [(); 0],
    /// At least one.
    pub errors: Vec<FailureEntry>,
}

/// One thing that is wrong.
#[derive(Debug, Serialize)]
pub struct FailureEntry {
    /// For programs.
    pub code: String,
    /// The field or side at fault, where it is one alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What is wrong, and what is right.
    pub detail: String,
}
