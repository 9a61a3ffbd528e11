//! The routes. Each has a file named after its path.

pub(crate) mod address;
pub(crate) mod branch;
pub(crate) mod chain;
pub(crate) mod console;
pub(crate) mod docs;
pub(crate) mod health;
pub(crate) mod home;
pub(crate) mod listing;
pub(crate) mod metrics;
pub(crate) mod milestone_group;
pub(crate) mod milestone_type;
pub(crate) mod openapi_json;
pub(crate) mod standard;
pub(crate) mod webhook;

use web::problem::Problem;

/// Answers requests that no route matches.
pub(crate) async fn no_such_path() -> Problem {
    Problem::NoSuchPath
}

/// Answers requests with a method that the path does not support. The router sets `Allow`.
pub(crate) async fn method_not_allowed() -> Problem {
    Problem::MethodNotAllowed(None)
}
