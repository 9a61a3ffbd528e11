//! The server: the routes of all listeners, the documents that they answer with, and the settings.
//!
//! This crate knows nothing about commands and terminals.

mod announcement;
mod chosen_addresses;
pub mod config;
mod endpoints;
mod exposition;
mod failure_log;
pub mod foundation;
mod framework;
mod host;
pub mod housekeeping;
pub mod lifecycle;
pub mod limits;
mod log_parts;
mod metrics;
mod openapi;
pub mod operator_log;
mod optional_file;
mod process_metrics;
pub mod published_keys;
mod readiness;
mod request_layer;
mod router;
mod routes;
pub mod sandbox;
mod security_log;
pub mod start_error;
mod store_metrics;
mod unread_answers;

/// Seals the documents of chains in every store that a program of this workspace opens.
pub const SEAL: storage::Seal = chain_queries::sealing::seal;

/// Seals the rest of a document of which a part was erased.
pub const RESEAL: state_log::Reseal = chain_queries::sealing::seal_document;

/// Opens the documents that [`SEAL`] sealed.
pub const OPEN: state_log::Open = chain_queries::sealing::open;
