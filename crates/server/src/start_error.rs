//! Why the server does not start.

use std::net::SocketAddr;

use edge::tls::TlsError;
use outbound::callback::CallbackRefusal;
use outbound::client::OutboundError;
use outbound::networks::NetworkError;
use signing::seal::SealError;
use storage::StorageError;
use tokens::key_error::KeyError;

/// Why the server does not start, in one sentence.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store cannot be used.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The keys cannot be used.
    #[error(transparent)]
    Keys(#[from] KeyError),
    /// No key for the cookies of sign-ins can be derived.
    #[error("cannot derive the key of sign-ins: {0}")]
    SignIn(#[from] SealError),
    /// A certificate cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Events cannot be sent.
    #[error(transparent)]
    OutboundClient(#[from] OutboundError),
    /// A network of callbacks cannot be read.
    #[error("callback_allowed_networks: {0}")]
    Network(#[from] NetworkError),
    /// The other address of the key set cannot be used.
    #[error("published_jwks_url cannot be used: {0}")]
    PublishedKeys(#[from] CallbackRefusal),
    /// The witnesses of the log cannot be read.
    #[error("state_log_witnesses: {0}")]
    Witnesses(String),
    /// A file that reaching the database needs cannot be read.
    #[error("cannot read {setting} {path}: {reason}")]
    StoreFile {
        /// The setting that names the file.
        setting: &'static str,
        /// The path of the file.
        path: String,
        /// Why it cannot be read.
        reason: String,
    },
    /// A setting of the framework cannot be used.
    #[error("cannot use {setting}: {reason}")]
    Framework {
        /// The setting.
        setting: &'static str,
        /// Why it cannot be used.
        reason: String,
    },
    /// The operating system refuses to start a thread.
    #[error("cannot start the threads that sign: {0}")]
    Threads(std::io::Error),
    /// A socket cannot be opened.
    #[error("cannot listen on {address} ({setting}): {reason}")]
    Listen {
        /// The setting that names the address.
        setting: &'static str,
        /// The address.
        address: SocketAddr,
        /// Why it cannot be opened.
        reason: String,
    },
}
