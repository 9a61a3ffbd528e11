//! Why a command failed, and its exit status.

use std::borrow::Cow;

use server::start_error::StartError;
use storage::StorageError;
use tokens::key_error::KeyError;
use tokens::pkcs11::TokenError;

/// The reason why a command failed: one sentence for the person at the terminal.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct Failure {
    pub(crate) reason: String,
    pub(crate) status: u8,
    /// Whether the log has it already.
    pub(crate) is_told: bool,
    /// Whether the reason has several lines.
    pub(crate) has_lines: bool,
}

/// The exit status for a configuration that cannot be used, as in `sysexits.h`. A supervisor need not
/// try again.
const UNUSABLE: u8 = 78;

impl Failure {
    /// Makes a failure with this reason.
    pub fn new(reason: impl std::fmt::Display) -> Self {
        Self {
            reason: reason.to_string(),
            status: 1,
            is_told: false,
            has_lines: false,
        }
    }

    /// Makes a failure whose reason may have several lines, such as the refusal of a service with a
    /// line for each fault.
    pub fn of_lines(reason: impl std::fmt::Display) -> Self {
        Self {
            has_lines: true,
            ..Self::new(reason)
        }
    }

    /// Makes a failure that lasts until somebody changes the configuration.
    pub fn unusable(reason: impl std::fmt::Display) -> Self {
        Self {
            status: UNUSABLE,
            ..Self::new(reason)
        }
    }

    /// The reason as a terminal shows it: a terminal must not obey control characters of an argument.
    pub(crate) fn printable(&self) -> Cow<'_, str> {
        if self.has_lines {
            unicode::visible_lines(&self.reason)
        } else {
            unicode::visible(&self.reason)
        }
    }

    /// Makes the failure of a start. A database or port that is missing now may come back.
    pub fn of_start(error: StartError) -> Self {
        let may_pass = match &error {
            StartError::Storage(error) => {
                error.is_passing() || matches!(error, StorageError::Open { .. })
            }
            StartError::Keys(KeyError::Storage(error)) => error.is_passing(),
            StartError::Keys(
                KeyError::KeyCommand { .. }
                | KeyError::Token(TokenError::Refused(_) | TokenError::NoToken(_)),
            )
            | StartError::Listen { .. }
            | StartError::Threads(_) => true,
            StartError::Keys(_)
            | StartError::Tls(_)
            | StartError::OutboundClient(_)
            | StartError::Network(_)
            | StartError::Witnesses(_)
            | StartError::SignIn(_)
            | StartError::PublishedKeys(_)
            | StartError::Framework { .. }
            | StartError::StoreFile { .. } => false,
        };
        if may_pass {
            Self::new(error)
        } else {
            Self::unusable(error)
        }
    }
}

impl From<StorageError> for Failure {
    fn from(error: StorageError) -> Self {
        Self::new(error)
    }
}
