//! One file for each route, named after its path.

pub mod health;
pub mod jwks;
pub mod metrics;
pub mod standard;
pub mod token;

use http::Method;

use crate::problem::Problem;

/// Everything that no route answers.
pub async fn no_such_path() -> Problem {
    Problem::NoSuchPath
}

/// Refuses every method but GET and HEAD.
fn only_get(method: &Method) -> Result<(), Problem> {
    if method == Method::GET || method == Method::HEAD {
        Ok(())
    } else {
        Err(Problem::MethodNotAllowed("GET, HEAD"))
    }
}
