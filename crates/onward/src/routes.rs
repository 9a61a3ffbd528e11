//! One file for each route, named after its path.

pub mod address;
pub mod branch;
pub mod chain;
pub mod docs;
pub mod health;
pub mod jwks;
pub mod listing;
pub mod metrics;
pub mod milestone_group;
pub mod milestone_type;
pub mod openapi_json;
pub mod standard;
pub mod token;
pub mod webhook;

use std::collections::BTreeMap;

use http::Method;
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response};

use crate::openapi::refusals;
use crate::problem::Problem;

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

/// How a call is refused that only fails when the server does.
struct Unhealthy;

impl IntoResponses for Unhealthy {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let problems = [
            Problem::Internal(String::new()),
            Problem::Unavailable(1, String::new()),
        ];
        refusals::describe(problems.iter().map(Problem::to_refusal))
    }
}
