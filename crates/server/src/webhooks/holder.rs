//! Who manages webhooks: the holder of an API key (S-26).

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, header};
use signing::{base64url, canonical, random};
use storage::{Read, api_keys};

use crate::problem::Problem;
use crate::rate_limit_fields;
use crate::webhooks::WebhookManagement;

const FIELD: &str = "x-api-key";
const PREFIX: &str = "onward";
/// Bytes of a key's secret part.
const SECRET_BYTES: usize = 32;

/// Proof that a request carries an API key that counts.
#[derive(Debug, Clone)]
pub struct ApiKeyHolder {
    id: i64,
}

/// A new key's secret part, and the digest that is stored of it.
#[derive(Debug)]
pub struct NewSecret {
    secret: String,
    /// SHA-256 of the secret part, base64url.
    pub digest: String,
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
    let bucket = format!("api-key {}", holder.id);
    parts.extensions.insert(holder);
    let answering = next.run(Request::from_parts(parts, body));
    let limits = webhooks.rate_limits.as_deref();
    let mut response = rate_limit_fields::answer_within(limits, &bucket, answering).await;
    // Callback URLs can hold secrets of the subscriber's, and the log changes all the time.
    let no_store = HeaderValue::from_static("no-store");
    response
        .headers_mut()
        .insert(header::CACHE_CONTROL, no_store);
    response
}

impl ApiKeyHolder {
    /// The secret part is compared as a digest, in constant time: how long it
    /// takes tells nothing about a key.
    async fn prove(webhooks: &WebhookManagement, headers: &HeaderMap) -> Result<Self, Problem> {
        let text = read_field(headers)?;
        let (id, secret) = split(text).ok_or_else(unknown_key)?;
        let found = webhooks
            .storage
            .lookup(move |read| api_keys::find_api_key(read, id))
            .await?;
        let found = found.filter(|key| key.revoked_at.is_none());
        let stored = found.as_ref().map_or("", |key| key.digest.as_str());
        if random::constant_time_eq(digest(secret).as_bytes(), stored.as_bytes()) {
            Ok(Self { id })
        } else {
            Err(unknown_key())
        }
    }

    /// Proves within a transaction that the key still counts: it may have been revoked since the
    /// request began, and what this transaction makes would last.
    pub fn prove_again(&self, read: &mut Read<'_>) -> Result<(), Problem> {
        let found = api_keys::find_api_key(read, self.id)?;
        let is_good = found.is_some_and(|key| key.revoked_at.is_none());
        is_good.then_some(()).ok_or_else(unknown_key)
    }

    /// The key's id: whose subscriptions these are.
    pub fn id(&self) -> i64 {
        self.id
    }
}

/// A route takes this from its request; it is there only if `admit` put it there.
impl<S: Sync> FromRequestParts<S> for ApiKeyHolder {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        parts
            .extensions
            .remove::<Self>()
            .ok_or_else(|| Problem::Internal("a route without a proven key holder".to_owned()))
    }
}

impl NewSecret {
    /// Draws 256 random bits.
    pub fn draw() -> Result<Self, random::RandomError> {
        let secret = random::token(SECRET_BYTES)?;
        let digest = digest(&secret);
        Ok(Self { secret, digest })
    }

    /// The whole key, once its id is known. Shown once, stored nowhere.
    pub fn to_key(&self, id: i64) -> String {
        format!("{PREFIX}_{id}_{}", self.secret)
    }
}

/// A key that does not count.
pub fn unknown_key() -> Problem {
    Problem::ApiKeyInvalid("The API key is not known or was revoked.")
}

/// The key as it was sent.
pub fn read_field(headers: &HeaderMap) -> Result<&str, Problem> {
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

fn digest(secret: &str) -> String {
    base64url::encode(&canonical::digest(secret.as_bytes()))
}
