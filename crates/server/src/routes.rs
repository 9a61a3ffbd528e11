//! The routes. Each has a file named after its path.

pub(crate) mod docs;
pub(crate) mod health;
pub(crate) mod home;
pub(crate) mod metrics;
pub(crate) mod openapi_json;
