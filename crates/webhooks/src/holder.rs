//! Proves the holder of an API key, who manages webhooks (S-26).

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use http::request::Parts;
use observe::clock::Clock;
use observe::trace;
use signing::random;
use storage::{Read, api_keys};
use web::problem::Problem;
use web::rate_limit_fields;
use web::secret::{NewSecret, digest};

use crate::WebhookManagement;

const FIELD: &str = "x-api-key";
const PREFIX: &str = "onward";

/// Proof that a request carries a valid API key.
#[derive(Debug, Clone)]
pub struct ApiKeyHolder {
    account: i64,
    key: i64,
    participant: String,
    clock: Clock,
}

/// Proves the holder of each request to a path that exists, and counts it (S-14).
pub async fn admit(
    State(webhooks): State<Arc<WebhookManagement>>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let holder = match ApiKeyHolder::prove(&webhooks, &parts.headers).await {
        Ok(holder) => holder,
        Err(problem) => return problem.into_response(),
    };
    let bucket = Arc::from(format!("api-key {}", holder.account));
    trace::note_caller(&bucket);
    parts.extensions.insert(holder);
    let answering = next.run(Request::from_parts(parts, body));
    let limits = webhooks.rate_limits.as_deref();
    rate_limit_fields::answer_within(limits, &bucket, answering).await
}

impl ApiKeyHolder {
    /// Compares the digest of the secret part in constant time, so that the duration reveals
    /// nothing.
    async fn prove(webhooks: &WebhookManagement, headers: &HeaderMap) -> Result<Self, Problem> {
        let text = read_field(headers)?;
        let (key, secret) = split(text).ok_or_else(unknown_key)?;
        let found = webhooks
            .storage
            .lookup(move |read| api_keys::find_api_key(read, key))
            .await?;
        let now = webhooks.clock.now_seconds();
        let found = found.filter(|key| key.is_valid(now));
        let stored = found.as_ref().map_or("", |key| key.digest.as_str());
        let is_right = random::constant_time_eq(digest(secret).as_bytes(), stored.as_bytes());
        let found = found.filter(|_key| is_right).ok_or_else(unknown_key)?;
        Ok(Self {
            account: found.account,
            key,
            participant: found.participant,
            clock: webhooks.clock.clone(),
        })
    }

    /// Proves within a transaction that the key is still valid. It may have ended or been revoked since
    /// the request began.
    pub(crate) fn prove_again(&self, read: &mut Read<'_>) -> Result<(), Problem> {
        let found = api_keys::find_api_key(read, self.key)?;
        let is_good = found.is_some_and(|key| key.is_valid(self.clock.now_seconds()));
        is_good.then_some(()).ok_or_else(unknown_key)
    }

    /// The name of the participant that has the API key.
    pub fn participant(&self) -> &str {
        &self.participant
    }

    /// The id of the key's account, to which subscriptions belong (S-92).
    pub fn account(&self) -> i64 {
        self.account
    }

    /// The id of the API key.
    pub(crate) fn key(&self) -> i64 {
        self.key
    }
}

/// Only `admit` adds a holder to a request.
impl<S: Sync> FromRequestParts<S> for ApiKeyHolder {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        parts
            .extensions
            .remove::<Self>()
            .ok_or_else(|| Problem::Internal("a route without a proven key holder".to_owned()))
    }
}

/// The complete API key, made once its id is known. It is shown once and not stored.
pub fn to_key(secret: &NewSecret, id: i64) -> String {
    format!("{PREFIX}_{id}_{}", secret.secret)
}

/// The refusal of a key that is unknown, has ended or was revoked.
pub(crate) fn unknown_key() -> Problem {
    Problem::ApiKeyInvalid("The API key is not known, has ended or was revoked.")
}

/// Reads the field `X-Api-Key`.
pub(crate) fn read_field(headers: &HeaderMap) -> Result<&str, Problem> {
    let mut fields = headers.get_all(FIELD).iter();
    let field = fields.next().ok_or(Problem::ApiKeyInvalid(
        "Send your API key in the field X-Api-Key.",
    ))?;
    if fields.next().is_some() {
        return Err(Problem::ApiKeyInvalid("Send one X-Api-Key field only."));
    }
    Ok(field.to_str().unwrap_or_default().trim())
}

fn split(text: &str) -> Option<(i64, &str)> {
    let (prefix, rest) = text.split_once('_')?;
    let (id, secret) = rest.split_once('_')?;
    let is_id = (1..=18).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit());
    let id = id.parse().ok().filter(|_| is_id)?;
    (prefix == PREFIX).then_some((id, secret))
}
