//! The tokens that were revoked and have not expired yet, in memory.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use storage::revoked_tokens::RevokedToken;

/// Ids of revoked tokens, with their times of expiry in Unix seconds.
#[derive(Debug, Default)]
pub struct RevokedTokens(RwLock<HashMap<String, i64>>);

impl RevokedTokens {
    /// Whether the token of this id was revoked.
    pub fn has(&self, token_id: &str) -> bool {
        let tokens = self.0.read().unwrap_or_else(PoisonError::into_inner);
        tokens.contains_key(token_id)
    }

    /// Adds revoked tokens from the store.
    pub fn add(&self, tokens: impl IntoIterator<Item = RevokedToken>) {
        let pairs = tokens
            .into_iter()
            .map(|token| (token.token_id, token.expires_at));
        let mut tokens = self.0.write().unwrap_or_else(PoisonError::into_inner);
        tokens.extend(pairs);
    }

    /// Forgets the tokens that expired before this time.
    pub fn forget_expired(&self, before: i64) {
        let mut tokens = self.0.write().unwrap_or_else(PoisonError::into_inner);
        tokens.retain(|_id, expires_at| *expires_at >= before);
        tokens.shrink_to_fit();
    }

    /// The number of remembered tokens.
    pub fn count(&self) -> usize {
        let tokens = self.0.read().unwrap_or_else(PoisonError::into_inner);
        tokens.len()
    }
}
