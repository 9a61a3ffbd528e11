//! The parts that checks of clients and tokens share.

use std::sync::Arc;

use observe::clock::Clock;
use outbound::client::OutboundClient;
use storage::{Storage, StorageError};

use crate::client_keys::PublishedKeys;
use crate::framework::Framework;
use crate::rate_limit::RateLimits;
use crate::registry::Registry;
use crate::signers::Signers;

/// The parts that checks of clients and tokens share.
#[derive(Debug)]
pub struct TokenContext {
    /// Time.
    pub clock: Clock,
    /// The store, which remembers used assertions.
    pub storage: Storage,
    /// Clients, keys and revoked tokens.
    pub registry: Arc<Registry>,
    /// The threads that sign tokens.
    pub signers: Arc<Signers>,
    /// Fetches the key sets that clients publish.
    pub outbound: OutboundClient,
    /// The key sets that this node fetched.
    pub client_keys: PublishedKeys,
    /// Requests of each caller, counted; `None`: there is no limit.
    pub rate_limits: Option<Arc<RateLimits>>,
    /// The framework that somebody else runs; `None`: only our own tokens are accepted.
    pub framework: Option<Arc<Framework>>,
    /// Names and lifetimes that tokens carry.
    pub settings: TokenSettings,
}

impl TokenContext {
    /// Lets a caller pay before its next request for one that was as expensive as so many more (S-14).
    pub fn owe(&self, caller: &str, requests: u64) {
        if let Some(limits) = &self.rate_limits {
            limits.owe(caller, u32::try_from(requests).unwrap_or(u32::MAX));
        }
    }
}

/// Names and lifetimes that tokens carry.
#[derive(Debug, Clone)]
pub struct TokenSettings {
    /// `iss` of tokens, and the audience of assertions.
    pub issuer: String,
    /// `aud` of tokens.
    pub audience: String,
    /// The URL of the token endpoint, which assertions may name as audience (S-21).
    pub token_endpoint: String,
    /// The URL of the introspection endpoint, which assertions sent there may name as audience (S-75).
    pub introspection_endpoint: String,
    /// The URL of the revocation endpoint, which assertions sent there may name as audience (S-75).
    pub revocation_endpoint: String,
    /// How long a token lives, in seconds (S-22).
    pub lifetime_seconds: i64,
}

/// Why a client's request for a token, or about a token, is refused (RFC 6749 section 5.2).
#[derive(Debug, thiserror::Error)]
pub enum ClientRefusal {
    /// The request itself is wrong.
    #[error("{0}")]
    InvalidRequest(&'static str),
    /// The client did not prove who it is.
    #[error("{0}")]
    InvalidClient(&'static str),
    /// A scope does not exist or is not assigned to the client.
    #[error("{0}")]
    InvalidScope(&'static str),
    /// The client sent too many requests; the seconds to wait (S-14).
    #[error("too many requests: wait {0} s")]
    RateLimited(u64),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The token could not be signed.
    #[error(transparent)]
    Signing(#[from] crate::signers::SigningError),
}
