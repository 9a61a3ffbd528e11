//! The chain query.

mod access;
mod asker;
mod errors;
mod hostile;
mod limits;
mod milestones;
mod paging;
mod rows;
mod search;
mod shape;
mod signature;
mod values;
mod whole;

/// Where the query is.
const PATH: &str = "/api/v1/standard/chains";

/// The content type of most stories' questions.
const FORM: &str = "application/x-www-form-urlencoded";
