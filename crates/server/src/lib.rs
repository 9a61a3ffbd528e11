//! The server: the routes of all listeners, the documents that they answer with, and the settings.
//!
//! This crate knows nothing about commands and terminals.

mod access_log;
mod announcement;
mod answer;
mod answered;
mod authorization;
mod conditional;
pub mod config;
pub mod console;
mod console_router;
mod directory;
mod endpoints;
mod exposition;
mod failure_log;
pub mod forecasts;
mod form;
pub mod foundation;
pub mod housekeeping;
pub mod lifecycle;
pub mod limits;
mod listener;
pub mod listing_management;
mod metrics;
mod oauth;
mod openapi;
pub mod operator_log;
mod path_segments;
pub mod problem;
mod process_metrics;
pub mod property_search;
mod rate_limit_fields;
mod readiness;
mod request_layer;
mod router;
mod routes;
pub mod secret;
mod security_log;
pub mod start_error;
mod store_metrics;
mod turns;
mod unread_answers;
pub mod webhooks;
mod wire;
