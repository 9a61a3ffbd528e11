//! What all answers of the token endpoint's address share.

use axum::response::{IntoResponse, Response};
use tokens::rate_limit::Allowance;

use super::error::{OauthError, forbid_keeping};
use crate::rate_limit_fields;

/// Why a client did not prove who it is, for the log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unproven(pub &'static str);

/// The whole answer: what was asked for, or why not; not to be kept (RFC 6749 section 5.1); and,
/// once the client is known, what its limit still allows (S-14).
pub(crate) fn respond(
    answered: Result<impl IntoResponse, OauthError>,
    allowance: Option<Allowance>,
) -> Response {
    let mut response = match answered {
        Ok(answer) => answer.into_response(),
        Err(refusal) => {
            let unproven = refusal.unproven();
            let mut response = refusal.into_response();
            if let Some(reason) = unproven {
                response.extensions_mut().insert(Unproven(reason));
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
