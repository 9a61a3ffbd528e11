//! Requests, answers and refusals of the token, introspection and revocation endpoints.

pub(crate) mod answer;
pub(crate) mod error;
pub(crate) mod request;
