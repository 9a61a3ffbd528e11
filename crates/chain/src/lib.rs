//! The rules of property chains: who is linked to whom, in which order, and what may change.
//!
//! This crate knows nothing about I/O, clocks, randomness, JSON or SQL. Dates and new chain ids
//! are arguments; a decision takes the chains as they are and returns the changes to store. The
//! numbers `S-1` to `S-54` in its comments are the decisions of the written specification.

pub mod ends;
pub mod event;
pub mod ids;
pub mod limits;
pub mod link;
pub mod listing;
pub mod milestone;
pub mod order;
pub mod permission;
pub mod progress;
pub mod record;
pub mod state;
