//! Describes the refusals of chain queries in OpenAPI.

use std::collections::BTreeMap;

use tokens::framework::NOT_ACTIVE;
use utoipa::openapi::{RefOr, Response};
use web::problem::Problem;
use web::refusals;

/// Describes the refusals of an operation: these, and the refusals of every operation.
pub(crate) fn describe(refusals: Vec<Vec<Problem>>) -> BTreeMap<String, RefOr<Response>> {
    let anywhere = [
        Problem::BodyMalformed("The form is not UTF-8.".to_owned()),
        Problem::TokenMissing,
        Problem::TokenInvalid("The token has expired. Get a new token."),
        Problem::ScopeInsufficient("transaction-status"),
        Problem::OrganisationRefused(NOT_ACTIVE),
        Problem::RateLimited(1),
        Problem::Internal(String::new()),
        Problem::Unavailable(1, String::new()),
    ];
    let all = anywhere.into_iter().chain(refusals.into_iter().flatten());
    refusals::describe(all.map(|problem| problem.to_refusal()))
}
