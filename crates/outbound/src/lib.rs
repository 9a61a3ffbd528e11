//! Calls to addresses that others chose: callbacks of subscribers and key sets of clients.
//!
//! Every call is bounded and goes only to networks that are allowed. This crate knows nothing
//! about the store, chains or the HTTP server.

pub mod callback;
pub mod client;
pub mod limits;
pub mod networks;
pub mod resolver;
