//! The errors that an integrator can meet, each with advice.

use std::path::PathBuf;

use signing::provenance::ProvenanceError;

use crate::fault::Fault;
use crate::printable;
use crate::problem::{Problem, TokenRefusal};

/// A failed call, file or verification. Its texts are safe for a terminal.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// `sandbox.json` does not have the shape that a sandbox writes.
    #[error(
        "{} is not a sandbox's file ({source}): start `onward sandbox` of this version again",
        path.display()
    )]
    Sandbox {
        /// The file.
        path: PathBuf,
        /// The first difference from the expected shape.
        source: serde_json::Error,
    },
    /// The sandbox has no client of that name, or no client that may query.
    #[error("sandbox.json has no such client; its clients are: {names}")]
    UnknownClient {
        /// The names of the sandbox's clients, separated by commas.
        names: String,
    },
    /// A certificate, key or address is unusable.
    #[error("{what} cannot be used: {reason}")]
    Credential {
        /// The name of the certificate, key or address.
        what: &'static str,
        /// The fault, and the expected form.
        reason: String,
    },
    /// No answer came: name resolution, connection, TLS or a time limit failed.
    #[error(
        "{url} cannot be reached: {reason}; check the address, that the service is running, \
             and the certificates"
    )]
    Unreachable {
        /// The address that was called.
        url: String,
        /// The error and its causes.
        reason: String,
        /// The kind of error.
        fault: Fault,
    },
    /// The answer is not one that document 1 describes.
    #[error("{url} gave an unexpected answer: {reason}; check the address of the service")]
    UnexpectedAnswer {
        /// The address that was called.
        url: String,
        /// The difference from the expected answer.
        reason: String,
    },
    /// The token endpoint refused.
    #[error("no access token: {0}; {advice}", advice = .0.advice())]
    Token(Box<TokenRefusal>),
    /// The service refused the query.
    #[error("{0}; {advice}", advice = .0.query_advice())]
    Refused(Box<Problem>),
    /// Webhook management refused.
    #[error("{0}; {advice}", advice = .0.webhook_advice())]
    Webhook(Box<Problem>),
    /// The client sent too many requests (S-14).
    #[error("the rate limit is reached: {}, and send requests less often", wait(*.retry_after_seconds))]
    RateLimited {
        /// The time to wait, if the service named one.
        retry_after_seconds: Option<u64>,
        /// The whole refusal.
        problem: Box<Problem>,
    },
    /// An answer came, but the client could not get the key set that verifies it. Nothing in the
    /// answer may be used.
    #[error("the answer cannot be verified, so do not rely on anything in it: {0}")]
    KeySet(Box<ClientError>),
    /// The holder of the published key did not sign this answer. Nothing in it may be used.
    #[error(
        "the answer does NOT verify, so do not rely on anything in it: {reason}",
        reason = printable(&.0.to_string())
    )]
    NotGenuine(#[from] ProvenanceError),
    /// The signature is good, but the signed data is not a page of chains.
    #[error(
        "the signature verifies, but the data is not a page of chains ({0}): use a version of \
             this client that knows the service's version"
    )]
    Shape(serde_json::Error),
}

fn wait(retry_after_seconds: Option<u64>) -> String {
    match retry_after_seconds {
        Some(seconds) => format!("wait {seconds} s before the next request"),
        None => "wait before the next request".to_owned(),
    }
}
