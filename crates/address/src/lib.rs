//! Addresses and postcodes of the United Kingdom as people type them.
//!
//! This crate knows nothing about I/O, clocks, randomness, JSON, SQL or chains. Comments cite the
//! decisions of the written specification as `S-1` to `S-54`.
//!
//! A store keeps the [`index_tokens`] of each property. [`search()`] takes a parsed [`Query`], asks
//! the store for the properties of each [`Probe`], and ranks them. The answer depends on the query
//! and the stored addresses only, so every engine and every node gives the same one (S-7).

mod distance;
mod evidence;
mod fit;
mod house_name;
mod index;
mod known;
mod named;
mod normal;
mod number;
mod pairing;
mod parse;
mod postcode;
mod premises;
mod probe;
mod query;
mod rank;
mod search;
mod street;
mod text;
mod typo;
mod units;
mod unknown;
mod words;

pub use index::{INDEX_VERSION, index_tokens};
pub use known::{Candidate, Known};
pub use normal::{area, normalise, postcode, postcode_spaced, street_name};
pub use premises::premises;
pub use probe::Probe;
pub use query::Query;
pub use rank::{Decision, Ranked, Ranking};
pub use search::search;
