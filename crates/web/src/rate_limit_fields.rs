//! The fields `RateLimit` and `RateLimit-Policy` of answers (S-14), and the answer past the limit.

use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderName, HeaderValue};
use tokens::rate_limit::{Allowance, RateLimits};
use tokens::registry::Client;

use crate::problem::Problem;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const STATE: HeaderName = HeaderName::from_static("ratelimit");

/// Counts a request for its client, unless `allowance` is set: then it was counted before.
pub fn count(
    limits: Option<&RateLimits>,
    client: &Client,
    allowance: &mut Option<Allowance>,
) -> Result<(), Problem> {
    let Some(limits) = limits else {
        return Ok(());
    };
    check(allowance.get_or_insert_with(|| limits.count(&client.id)))
}

/// Counts a request for its caller, answers it unless the caller is past the limit, and shows the
/// caller's allowance.
pub async fn answer_within(
    limits: Option<&RateLimits>,
    caller: &str,
    answering: impl Future<Output = Response>,
) -> Response {
    let Some(allowance) = limits.map(|limits| limits.count(caller)) else {
        return answering.await;
    };
    let mut response = match check(&allowance) {
        Ok(()) => answering.await,
        Err(problem) => problem.into_response(),
    };
    show(&allowance, response.headers_mut());
    response
}

/// Shows the untouched allowance, unless the answer shows a counted one already.
pub fn show_untouched(limits: &RateLimits, headers: &mut HeaderMap) {
    if !headers.contains_key(POLICY) {
        show(&limits.untouched(), headers);
    }
}

/// Sets `RateLimit-Policy` (the bucket's size and the seconds that fill it) and `RateLimit` (the
/// requests left, and the seconds until there is one more).
pub fn show(allowance: &Allowance, headers: &mut HeaderMap) {
    let window = allowance.window_seconds();
    let policy = format!("\"client\";q={};w={window}", allowance.burst());
    let more = allowance.wait_seconds.max(1);
    let state = format!("\"client\";r={};t={more}", allowance.remaining);
    for (name, value) in [(POLICY, policy), (STATE, state)] {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
}

fn check(allowance: &Allowance) -> Result<(), Problem> {
    match allowance.wait() {
        Some(wait) => Err(Problem::RateLimited(wait)),
        None => Ok(()),
    }
}
