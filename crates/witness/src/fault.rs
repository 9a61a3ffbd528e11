//! Why a witness cannot work.

use std::path::PathBuf;

use log::Malformed;
use log::note::CannotSign;
use thiserror::Error;

/// Why a witness does not start, or cannot cosign now.
#[derive(Debug, Error)]
pub enum Fault {
    /// Another process has the directory open.
    #[error("another witness uses the directory {}: stop it first", .0.display())]
    Held(PathBuf),
    /// A file or the directory cannot be used.
    #[error("cannot use {}: {reason}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// Why, and what to do.
        reason: String,
    },
    /// The time is before the time of the last cosignature, in Unix seconds.
    #[error(
        "the clock was set back: a checkpoint was cosigned at Unix time {0}, and none can be before it"
    )]
    Clock(u64),
    /// The name of the key is refused, or the cryptographic library refuses the key.
    #[error(transparent)]
    Key(#[from] Malformed),
    /// The cryptographic library failed.
    #[error(transparent)]
    Signing(#[from] CannotSign),
}
