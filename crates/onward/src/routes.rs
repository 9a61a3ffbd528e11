//! One file for each route, named after its path.

pub mod address;
pub mod branch;
pub mod chain;
pub mod health;
pub mod jwks;
pub mod listing;
pub mod metrics;
pub mod milestone_group;
pub mod milestone_type;
pub mod standard;
pub mod token;
pub mod webhook;

use http::Method;

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
