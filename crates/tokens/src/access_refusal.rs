//! Why a request with an access token is refused.

use storage::StorageError;

use crate::registry::Scope;

/// Why a request with an access token is refused.
#[derive(Debug, thiserror::Error)]
pub enum AccessRefusal {
    /// The token is not valid on this connection now.
    #[error("{0}")]
    TokenInvalid(&'static str),
    /// The token, or its client, lacks this scope.
    #[error("the scope {} is missing", .0.as_str())]
    ScopeInsufficient(Scope),
    /// The organisation of the connection's certificate takes no part in the framework (S-72).
    #[error("{0}")]
    OrganisationRefused(&'static str),
    /// The organisation's clients send too many unknown tokens (S-69).
    #[error("the organisation's clients send too many unknown tokens")]
    TooManyTokens,
    /// Too many calls to the framework's issuer are under way (S-69).
    #[error("too many calls to the framework's issuer are under way")]
    IssuerBusy,
    /// The framework's issuer is away (S-70).
    #[error("the framework's issuer is away")]
    IssuerAway,
    /// No answer of the framework's directory was adopted for too long (S-73).
    #[error("no answer of the framework's directory was adopted within 24 hours")]
    DirectoryOld,
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}
