//! One file for each route, named after its path.

pub mod address;
pub mod branch;
pub mod chain;
pub mod docs;
pub mod health;
pub mod introspect;
pub mod jwks;
pub mod listing;
pub mod metrics;
pub mod milestone_group;
pub mod milestone_type;
pub mod openapi_json;
pub mod participants;
pub mod revoke;
pub mod standard;
pub mod token;
pub mod webhook;
pub mod well_known;

use std::collections::BTreeMap;

use axum::response::Response;
use http::{HeaderMap, Method};
use serde::Serialize;
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response as DescribedResponse};

use crate::openapi::refusals;
use crate::problem::Problem;
use crate::published::Published;

/// Everything that no route answers.
pub async fn no_such_path() -> Problem {
    Problem::NoSuchPath
}

/// A path that has other methods; the router names them in `Allow`.
pub async fn method_not_allowed() -> Problem {
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

/// A public document of the settings, as JSON.
fn publish_json(document: &impl Serialize, asked: &HeaderMap) -> Result<Response, Problem> {
    let body =
        serde_json::to_vec(document).map_err(|error| Problem::Internal(error.to_string()))?;
    Ok(Published::new(body, "application/json").answer(asked))
}

/// How a call is refused that only fails when the server does.
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
