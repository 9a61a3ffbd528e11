//! What this node knows about tokens of the framework, and how long it uses that (S-69, S-70).

use std::sync::Arc;

use quick_cache::sync::Cache;
use signing::{base64url, canonical};

use crate::answer::{ActiveToken, Answer};
use crate::limits;

/// How long answers are used, in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Periods {
    /// How long an answer about an active token is used without asking again.
    pub cache_seconds: i64,
    /// How long after its last active answer a token is used while the issuer is away.
    pub outage_seconds: i64,
}

/// The SHA-256 digest of the whole text of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TokenDigest([u8; 32]);

impl TokenDigest {
    /// The digest of a text.
    pub fn of(text: &str) -> Self {
        Self(canonical::digest(text.as_bytes()))
    }

    /// The digest in base64url.
    pub fn to_base64url(self) -> String {
        base64url::encode(&self.0)
    }
}

/// The result of one call to the introspection endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A readable answer with status 200.
    Answered(Answer),
    /// Status 400. The issuer of some frameworks answers so to any text that is none of its tokens.
    BadRequest,
    /// Anything else: no connection, no answer in time, another status, an unreadable answer.
    Away,
}

/// What is known about a token without a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The token is active.
    Active(Arc<ActiveToken>),
    /// The token is not active.
    Inactive,
    /// The issuer must be asked.
    Ask {
        /// Whether the token was active, so recently that an outage does not end it.
        is_known: bool,
    },
}

/// What holds for a token after a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The token is active.
    Active(Arc<ActiveToken>),
    /// The token is not active.
    Inactive,
    /// The token must not be used here. The text tells the caller why.
    Refused(&'static str),
    /// Nobody knows: the issuer is away.
    Away,
}

/// The tokens that this node knows, in memory only. Inactive tokens never displace active ones, because everybody
/// can invent inactive ones.
#[derive(Debug)]
pub struct KnownTokens {
    periods: Periods,
    active: Cache<TokenDigest, Known>,
    /// Until when each token is known as inactive.
    inactive: Cache<TokenDigest, i64>,
}

#[derive(Debug, Clone)]
struct Known {
    token: Arc<ActiveToken>,
    /// When the issuer was asked for the last active answer.
    asked_at: i64,
    /// Until when nobody asks again, because the issuer was away.
    paused_until: i64,
}

impl KnownTokens {
    /// Nothing is known yet.
    pub fn new(periods: Periods) -> Self {
        Self {
            periods,
            active: Cache::new(limits::TOKENS_KNOWN_MAX),
            inactive: Cache::new(limits::TOKENS_KNOWN_MAX),
        }
    }

    /// What is known about a token at this Unix time.
    pub fn find(&self, token: TokenDigest, now: i64) -> Found {
        if let Some(known) = self.find_usable(token, now) {
            let is_fresh = now - known.asked_at < self.periods.cache_seconds;
            if is_fresh || now < known.paused_until {
                return Found::Active(known.token);
            }
            return Found::Ask { is_known: true };
        }
        let until = self.inactive.get(&token);
        if until.is_some_and(|until| (until - limits::INACTIVE_SECONDS..until).contains(&now)) {
            return Found::Inactive;
        }
        Found::Ask { is_known: false }
    }

    /// The token, if it was active so recently that an outage does not end it.
    pub fn find_known(&self, token: TokenDigest, now: i64) -> Option<Arc<ActiveToken>> {
        self.find_usable(token, now).map(|known| known.token)
    }

    /// Notes the outcome of a call that began at `asked_at`, and decides at `now`. At most one call about a token
    /// is under way at a time.
    pub fn note(&self, token: TokenDigest, outcome: Outcome, asked_at: i64, now: i64) -> Verdict {
        match outcome {
            Outcome::Answered(Answer::Active(active)) => {
                let active = Arc::new(active);
                let known = Known {
                    token: Arc::clone(&active),
                    asked_at,
                    paused_until: asked_at,
                };
                self.inactive.remove(&token);
                self.active.insert(token, known);
                Verdict::Active(active)
            }
            Outcome::Answered(Answer::Inactive) => {
                self.active.remove(&token);
                self.note_inactive(token, now)
            }
            Outcome::Answered(Answer::Refused(why)) => {
                self.active.remove(&token);
                Verdict::Refused(why)
            }
            Outcome::BadRequest => {
                let known = self.outlast(token, now);
                known.unwrap_or_else(|| self.note_inactive(token, now))
            }
            Outcome::Away => self.outlast(token, now).unwrap_or(Verdict::Away),
        }
    }

    /// Goes on with a known token although the issuer is away, and pauses the calls about it (S-70).
    fn outlast(&self, token: TokenDigest, now: i64) -> Option<Verdict> {
        let mut known = self.find_usable(token, now)?;
        known.paused_until = now + limits::AWAY_PAUSE_SECONDS;
        let active = Arc::clone(&known.token);
        self.active.insert(token, known);
        Some(Verdict::Active(active))
    }

    fn note_inactive(&self, token: TokenDigest, now: i64) -> Verdict {
        self.inactive.insert(token, now + limits::INACTIVE_SECONDS);
        Verdict::Inactive
    }

    /// The entry of a token that has neither expired nor outlived the last active answer by too much. A clock that
    /// went back ends it too.
    fn find_usable(&self, token: TokenDigest, now: i64) -> Option<Known> {
        let known = self.active.get(&token)?;
        let age = now - known.asked_at;
        let longest = self.periods.outage_seconds.max(self.periods.cache_seconds);
        let is_usable = known.token.expires_at > now && (0..longest).contains(&age);
        is_usable.then_some(known)
    }
}
