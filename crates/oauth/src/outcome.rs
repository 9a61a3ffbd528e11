//! The outcome of a token request, for the security log.

/// The outcome of a token request, among the extensions of its answer.
#[derive(Debug, Clone)]
pub enum TokenOutcome {
    /// The endpoint issued a token with these scopes.
    Issued(String),
    /// The endpoint refused a token: the error code and its description.
    Refused(&'static str, String),
}
