//! Answers that many routes share.

use std::collections::BTreeMap;

use axum::response::Response;
use http::{HeaderMap, Method};
use serde::Serialize;
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response as DescribedResponse};

use crate::conditional::Published;
use crate::problem::Problem;
use crate::refusals;

/// Refuses every method but GET and HEAD.
pub fn only_get(method: &Method) -> Result<(), Problem> {
    if method == Method::GET || method == Method::HEAD {
        Ok(())
    } else {
        Err(Problem::MethodNotAllowed(Some("GET, HEAD")))
    }
}

/// Answers with a public JSON document that depends only on the settings.
pub fn publish_json(document: &impl Serialize, asked: &HeaderMap) -> Result<Response, Problem> {
    let body =
        serde_json::to_vec(document).map_err(|error| Problem::Internal(error.to_string()))?;
    Ok(Published::new(body, "application/json").answer(asked))
}

/// The refusals of an operation that fails only if the server fails.
pub struct Unhealthy;

impl IntoResponses for Unhealthy {
    fn responses() -> BTreeMap<String, RefOr<DescribedResponse>> {
        let problems = [
            Problem::Internal(String::new()),
            Problem::Unavailable(1, String::new()),
        ];
        refusals::describe(problems.iter().map(Problem::to_refusal))
    }
}
