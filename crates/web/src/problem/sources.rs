//! Problems of the errors of other crates.

use chain::ends::EndRefusal;
use chain::link::LinkRefusal;
use signing::keyring::NotShown;
use storage::StorageError;
use tokens::access_refusal::AccessRefusal;
use tokens::limits::FRAMEWORK_RETRY_SECONDS;
use tokens::signers::SigningError;

use super::Problem;
use crate::refusal::Refusal;

impl From<LinkRefusal> for Problem {
    fn from(refusal: LinkRefusal) -> Self {
        Refusal::from(refusal).into()
    }
}

impl From<EndRefusal> for Problem {
    fn from(refusal: EndRefusal) -> Self {
        Refusal::from(refusal).into()
    }
}

impl From<StorageError> for Problem {
    fn from(error: StorageError) -> Self {
        if let StorageError::Unconfirmed(_) = error {
            Self::Unconfirmed(error.to_string())
        } else if error.is_passing() {
            Self::Unavailable(1, error.to_string())
        } else {
            Self::Internal(error.to_string())
        }
    }
}

impl From<AccessRefusal> for Problem {
    fn from(refusal: AccessRefusal) -> Self {
        match refusal {
            AccessRefusal::TokenInvalid(why) => Self::TokenInvalid(why),
            AccessRefusal::ScopeInsufficient(scope) => Self::ScopeInsufficient(scope.as_str()),
            AccessRefusal::OrganisationRefused(why) => Self::OrganisationRefused(why),
            AccessRefusal::TooManyTokens => Self::RateLimited(1),
            AccessRefusal::IssuerBusy | AccessRefusal::IssuerAway | AccessRefusal::DirectoryOld => {
                Self::Unavailable(FRAMEWORK_RETRY_SECONDS, refusal.to_string())
            }
            AccessRefusal::Storage(error) => error.into(),
        }
    }
}

impl From<SigningError> for Problem {
    fn from(error: SigningError) -> Self {
        match error {
            SigningError::QueueFull => Self::Unavailable(1, error.to_string()),
            SigningError::NotShown(error) => error.into(),
            SigningError::Stopped | SigningError::Failed(_) => Self::Internal(error.to_string()),
        }
    }
}

impl From<NotShown> for Problem {
    fn from(error: NotShown) -> Self {
        Self::KeyNotShown(error.to_string())
    }
}
