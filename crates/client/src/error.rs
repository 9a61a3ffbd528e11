//! What can go wrong for an integrator, each with what to do about it.

use std::path::PathBuf;

use signing::provenance::ProvenanceError;

use crate::problem::{Problem, TokenRefusal};
use crate::{printable, webhook};

/// A failed call, file or verification. Texts from the network are safe for a terminal.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// `sandbox.json` is not what a sandbox writes.
    #[error(
        "{} is not a sandbox's file ({source}): start `onward sandbox` of this version again",
        path.display()
    )]
    Sandbox {
        /// The file.
        path: PathBuf,
        /// Where it departs from the expected shape.
        source: serde_json::Error,
    },
    /// No client of that name, or none that may query.
    #[error("no such client in sandbox.json; it has: {names}")]
    UnknownClient {
        /// The names that there are, separated by commas.
        names: String,
    },
    /// A certificate, key or address that cannot be used.
    #[error("{what} cannot be used: {reason}")]
    Credential {
        /// Which one.
        what: &'static str,
        /// Why, and what is expected.
        reason: String,
    },
    /// No answer: name resolution, connection, TLS or time limit.
    #[error(
        "{url} cannot be reached: {reason}; check the address, that the service is running, \
             and the certificates"
    )]
    Unreachable {
        /// The address that was called.
        url: String,
        /// The chain of causes.
        reason: String,
    },
    /// An answer that is not what the interface promises.
    #[error("{url} gave an unexpected answer: {reason}; check the address of the service")]
    UnexpectedAnswer {
        /// The address that was called.
        url: String,
        /// In which way.
        reason: String,
    },
    /// The token endpoint refused.
    #[error("no access token: {0}; {advice}", advice = .0.advice())]
    Token(Box<TokenRefusal>),
    /// The query was refused.
    #[error("{0}; {advice}", advice = .0.advice())]
    Refused(Box<Problem>),
    /// Webhook management refused.
    #[error("{0}; {advice}", advice = webhook::advice(.0))]
    Webhook(Box<Problem>),
    /// Too many requests (S-14).
    #[error("the rate limit is reached: {}, and space requests out", wait(*.retry_after_seconds))]
    RateLimited {
        /// How long to wait, when the service said so.
        retry_after_seconds: Option<u64>,
        /// The whole refusal.
        problem: Box<Problem>,
    },
    /// The answer is not what the holder of the published key signed. Nothing in it may be used.
    #[error(
        "the answer does NOT verify, so nothing in it can be relied on: {reason}",
        reason = printable(&.0.to_string())
    )]
    Provenance(#[from] ProvenanceError),
    /// The signature is good, and what was signed is not a page of chains.
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
