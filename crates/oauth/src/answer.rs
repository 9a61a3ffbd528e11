//! Completes the answers of the token, introspection and revocation endpoints.

use axum::response::{IntoResponse, Response};
use tokens::rate_limit::Allowance;
use web::rate_limit_fields;

use super::error::{OauthError, forbid_keeping};

/// Builds the answer. It forbids caching (RFC 6749 section 5.1) and shows the rate limit of a known
/// client (S-14).
pub(crate) fn respond(
    answered: Result<impl IntoResponse, OauthError>,
    allowance: Option<Allowance>,
) -> Response {
    let mut response = match answered {
        Ok(answer) => answer.into_response(),
        Err(refusal) => {
            let outcome = refusal.outcome();
            let mut response = refusal.into_response();
            if let Some(outcome) = outcome {
                response.extensions_mut().insert(outcome);
            }
            response
        }
    };
    forbid_keeping(response.headers_mut());
    if let Some(allowance) = allowance {
        rate_limit_fields::show(&allowance, response.headers_mut());
    }
    response
}
