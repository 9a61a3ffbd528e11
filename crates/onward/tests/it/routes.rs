//! The tests of each route, in the file of the route's name.

mod chain;
mod docs;
mod health;
mod jwks;
mod listing;
mod metrics;
mod openapi_json;
mod standard;
mod token;
