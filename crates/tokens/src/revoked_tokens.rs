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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revoked_token_is_remembered_until_it_has_expired() {
        let tokens = RevokedTokens::default();
        let known = || ["first", "second", "third"].map(|id| tokens.has(id));
        tokens.add(
            [("first", 10), ("second", 20)].map(|(id, expires_at)| RevokedToken {
                token_id: id.to_owned(),
                expires_at,
            }),
        );
        assert_eq!(known(), [true, true, false]);
        tokens.forget_expired(10);
        assert_eq!(known(), [true, true, false]);
        tokens.forget_expired(11);
        assert_eq!(known(), [false, true, false]);
    }
}
