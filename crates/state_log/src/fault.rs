//! Why the log cannot grow at the moment.

use std::path::PathBuf;

use log::Malformed;
use log::frontier::Full;
use log::note::CannotSign;
use log::tile::ReadError;
use signing::canonical::CanonicalError;
use storage::StorageError;
use tokens::key_error::KeyError;
use web::problem::Problem;

/// A fault, as a sentence for the log.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A signing key cannot be opened now.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// Nobody named a file for the last checkpoint.
    #[error("set `state_log_checkpoint_file` to a file that all nodes of this store share")]
    NoFile,
    /// The file with the last checkpoint cannot be used.
    #[error("cannot use {path} as `state_log_checkpoint_file`: {reason}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why it cannot be used.
        reason: String,
    },
    /// The file with the erasures cannot be used.
    #[error("cannot use {path} as `erasures_file`: {reason}", path = path.display())]
    Erasures {
        /// The file.
        path: PathBuf,
        /// Why it cannot be used.
        reason: String,
    },
    /// This node may not sign before a witness says which checkpoint it cosigned last.
    #[error("no witness says which checkpoint of the log it cosigned last: {0}")]
    NoWitness(String),
    /// The stored tree has a part with another form.
    #[error("the stored log is damaged: {0}")]
    Damaged(String),
    /// No key, secret or signature can be made.
    #[error("the log's key cannot be used: {0}")]
    Signing(String),
}

impl From<Malformed> for Fault {
    fn from(error: Malformed) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl From<Full> for Fault {
    fn from(error: Full) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl From<CanonicalError> for Fault {
    fn from(error: CanonicalError) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl From<CannotSign> for Fault {
    fn from(error: CannotSign) -> Self {
        Self::Signing(error.to_string())
    }
}

impl From<ReadError<StorageError>> for Fault {
    fn from(error: ReadError<StorageError>) -> Self {
        match error {
            ReadError::Read(error) => Self::Storage(error),
            ReadError::NotInTree | ReadError::WrongLength => Self::Damaged(error.to_string()),
        }
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Storage(error) => error.into(),
            Fault::Key(_)
            | Fault::NoFile
            | Fault::File { .. }
            | Fault::Erasures { .. }
            | Fault::NoWitness(_)
            | Fault::Damaged(_)
            | Fault::Signing(_) => Self::Internal(fault.to_string()),
        }
    }
}
