//! Slow answers, refusals for a moment, members in another order, and a key set that is soon old.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use generate::random::Random;
use http::{HeaderMap, HeaderValue, header};
use http_body_util::BodyExt as _;
use web::listener::Listener;
use web::problem::Problem;

use super::member_order::shuffle;
use super::{DisturbedCall, Pedantry};

/// `Retry-After` of a refusal.
const WAIT_SECONDS: u64 = 1;
/// A twentieth of the usual time. The keys of answers are published for much longer before they sign.
const KEY_SET_FRESH: HeaderValue = HeaderValue::from_static("public, max-age=15");

/// The layer around the routes of a listener. A refused call does not reach its route.
pub(in crate::sandbox) async fn disturb(
    State((pedantry, listener)): State<(Arc<Pedantry>, Listener)>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path();
    let is_key_set = path == "/jwks";
    // Descriptions are for people and generators.
    if !(is_key_set || path == "/token" || path.starts_with("/api/")) {
        return next.run(request).await;
    }
    let call = pedantry.draw_call();
    tokio::time::sleep(call.delay).await;
    if let Some(problem) = call.refusal(listener) {
        return problem.into_response();
    }
    let mut answer = next.run(request).await;
    if is_key_set && let Some(fresh) = answer.headers_mut().get_mut(header::CACHE_CONTROL) {
        *fresh = KEY_SET_FRESH;
    }
    reorder(answer, call.order).await
}

impl DisturbedCall {
    /// The token endpoint writes 429 in a form of its own, and the key set is never refused.
    fn refusal(self, listener: Listener) -> Option<Problem> {
        let why = || "the sandbox is pedantic".to_owned();
        match listener {
            Listener::Base | Listener::Listing if self.is_refused && self.is_rate_limited => {
                Some(Problem::RateLimited(WAIT_SECONDS))
            }
            Listener::Base | Listener::Listing | Listener::Auth if self.is_refused => {
                Some(Problem::Unavailable(WAIT_SECONDS, why()))
            }
            Listener::Base
            | Listener::Listing
            | Listener::Auth
            | Listener::Directory
            | Listener::Ops
            | Listener::Console => None,
        }
    }
}

async fn reorder(answer: Response, order: u64) -> Response {
    if !is_plain_json(answer.headers()) {
        return answer;
    }
    let (mut parts, body) = answer.into_parts();
    let body = match body.collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) => return Problem::Internal(error.to_string()).into_response(),
    };
    let text = std::str::from_utf8(&body).ok();
    let shuffled = text.and_then(|text| shuffle(text, &mut Random::new(order)));
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(shuffled.map_or(body, Bytes::from)))
}

/// An `ETag` names the bytes of an answer, so they stay.
fn is_plain_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind == "application/json") && !headers.contains_key(header::ETAG)
}
