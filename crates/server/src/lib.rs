//! The server: the routes of all listeners, the documents that they answer with, and the settings.
//!
//! This crate knows nothing about commands and terminals.

mod access_log;
mod announcement;
mod answer;
pub mod config;
pub mod console;
mod console_router;
mod endpoints;
mod exposition;
mod failure_log;
pub mod forecasts;
pub mod foundation;
pub mod housekeeping;
pub mod lifecycle;
pub mod limits;
pub mod listing_management;
mod metrics;
mod openapi;
pub mod operator_log;
mod path_segments;
mod process_metrics;
pub mod property_search;
mod readiness;
mod request_layer;
mod router;
mod routes;
mod security_log;
pub mod start_error;
mod store_metrics;
mod unread_answers;
pub mod webhooks;
mod wire;
