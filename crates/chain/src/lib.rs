//! The rules of property chains: which listings are linked, in which order, and which changes are allowed.
//!
//! This crate knows nothing about I/O, clocks, randomness, JSON or SQL. Dates and new chain ids
//! are arguments. A decision takes the present chains and returns the changes to store. Numbers
//! such as `S-9` in comments name decisions of the written specification.

pub mod consent;
pub mod current;
pub mod ends;
pub mod event;
pub mod ids;
pub mod layers;
pub mod limits;
pub mod link;
pub mod listing;
pub mod london;
pub mod milestone;
mod order;
pub mod permission;
pub mod progress;
pub mod record;
pub mod state;
mod words;
