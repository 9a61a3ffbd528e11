//! The routes. Each has a file named after its path.

pub(crate) mod address;
pub(crate) mod branch;
pub(crate) mod chain;
pub(crate) mod console;
pub(crate) mod docs;
pub(crate) mod health;
pub(crate) mod home;
pub(crate) mod introspect;
pub(crate) mod jwks;
pub(crate) mod listing;
pub(crate) mod metrics;
pub(crate) mod milestone_group;
pub(crate) mod milestone_type;
pub(crate) mod openapi_json;
pub(crate) mod participants;
pub(crate) mod revoke;
pub(crate) mod standard;
pub(crate) mod token;
pub(crate) mod webhook;
pub(crate) mod well_known;

use std::collections::BTreeMap;

use axum::response::Response;
use http::{HeaderMap, Method};
use serde::Serialize;
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response as DescribedResponse};

use crate::conditional::Published;
use crate::openapi::refusals;
use crate::problem::Problem;

/// Answers requests that no route matches.
pub(crate) async fn no_such_path() -> Problem {
    Problem::NoSuchPath
}

/// Answers requests with a method that the path does not support. The router sets `Allow`.
pub(crate) async fn method_not_allowed() -> Problem {
    Problem::MethodNotAllowed(None)
}

/// Refuses every method but GET and HEAD.
fn only_get(method: &Method) -> Result<(), Problem> {
    if method == Method::GET || method == Method::HEAD {
        Ok(())
    } else {
        Err(Problem::MethodNotAllowed(Some("GET, HEAD")))
    }
}

/// Answers with a public JSON document that depends only on the settings.
fn publish_json(document: &impl Serialize, asked: &HeaderMap) -> Result<Response, Problem> {
    let body =
        serde_json::to_vec(document).map_err(|error| Problem::Internal(error.to_string()))?;
    Ok(Published::new(body, "application/json").answer(asked))
}

/// The refusals of an operation that fails only if the server fails.
struct Unhealthy;

impl IntoResponses for Unhealthy {
    fn responses() -> BTreeMap<String, RefOr<DescribedResponse>> {
        let problems = [
            Problem::Internal(String::new()),
            Problem::Unavailable(1, String::new()),
        ];
        refusals::describe(problems.iter().map(Problem::to_refusal))
    }
}
