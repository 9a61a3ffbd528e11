//! The HTTP side of the token endpoint and its neighbours: requests, answers and refusals.

pub(crate) mod answer;
pub(crate) mod error;
pub(crate) mod request;
