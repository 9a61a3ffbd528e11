//! Why a client cannot be made, and why an attempt failed, classified from the HTTP library's errors.

use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;

use client::fault::find_cause;

use crate::resolver::ResolveError;

/// Why the client cannot be made, in one sentence for the operator.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    /// A file of authorities cannot be used.
    #[error("cannot use {} as authorities: {reason}", path.display())]
    CaFile {
        /// The path of the file.
        path: PathBuf,
        /// Why it cannot be used.
        reason: String,
    },
    /// The certificate or its key cannot be used. The library's text may show parts of the key.
    #[error(
        "the client certificate and its private key are not two PEM files that belong together"
    )]
    Identity,
    /// The library refused the settings, or the system has no authorities.
    #[error(
        "cannot make an HTTPS client: {0}; install the system's certificate authorities, or name some in callback_ca_file"
    )]
    Unusable(String),
}

/// Why an attempt got no complete answer, or an answer that is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendError {
    /// The host's name does not resolve.
    Resolve,
    /// The host is, or resolves to, an address that is not allowed.
    AddressForbidden,
    /// No connection could be made.
    Connect,
    /// Finding the host, connecting and the handshake took too long.
    ConnectTimeout,
    /// TLS failed: wrong, expired or unknown certificate, or no common version.
    Tls,
    /// The answer did not come, or did not end, in time.
    Timeout,
    /// The answer is a redirect, which is not followed.
    RedirectRefused,
    /// The connection ended before the answer was complete.
    ClosedEarly,
    /// The answer is not HTTP.
    InvalidAnswer,
    /// The request cannot be written; nothing was sent.
    Unsendable,
}

impl SendError {
    /// All errors.
    pub const ALL: [Self; 10] = [
        Self::Resolve,
        Self::AddressForbidden,
        Self::Connect,
        Self::ConnectTimeout,
        Self::Tls,
        Self::Timeout,
        Self::RedirectRefused,
        Self::ClosedEarly,
        Self::InvalidAnswer,
        Self::Unsendable,
    ];

    /// The name in the log of attempts and the API. It is stored, so it never changes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resolve => "resolve",
            Self::AddressForbidden => "address_forbidden",
            Self::Connect => "connect",
            Self::ConnectTimeout => "connect_timeout",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::RedirectRefused => "redirect_refused",
            Self::ClosedEarly => "closed_early",
            Self::InvalidAnswer => "invalid_answer",
            Self::Unsendable => "unsendable",
        }
    }

    pub(super) fn classify(error: &reqwest::Error) -> Self {
        if let Some(cause) = find_cause::<ResolveError>(error) {
            return match cause {
                ResolveError::Unresolved(_) => Self::Resolve,
                ResolveError::Forbidden(_) => Self::AddressForbidden,
            };
        }
        if find_cause::<rustls::Error>(error).is_some() {
            Self::Tls
        } else if error.is_builder() {
            Self::Unsendable
        } else if error.is_connect() && error.is_timeout() {
            Self::ConnectTimeout
        } else if error.is_connect() {
            Self::Connect
        } else if find_cause::<hyper::Error>(error).is_some_and(hyper::Error::is_parse) {
            Self::InvalidAnswer
        } else {
            Self::ClosedEarly
        }
    }
}

/// The error with its causes, outermost first.
pub(super) fn describe(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let _ = write!(text, ": {inner}");
        cause = inner.source();
    }
    client::printable(&text)
}
