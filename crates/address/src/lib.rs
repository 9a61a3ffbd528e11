//! Addresses and postcodes of the United Kingdom as people type them.
//!
//! This crate knows nothing about I/O, clocks, randomness, JSON, SQL or chains. The numbers `S-1`
//! to `S-54` in its comments are the decisions of the written specification.
//!
//! A store keeps [`index_tokens`] for each property. A search parses a [`Query`], asks the store
//! for the properties of its [`Query::probes`] one after the other, and ranks what came: [`search()`]
//! does both. Nothing but the query and the stored addresses decides, so that every engine and
//! every node gives the same answer (S-7).

mod distance;
mod evidence;
mod fit;
mod house_name;
mod known;
mod normal;
mod number;
mod parse;
mod place;
mod premises;
mod probe;
mod query;
mod rank;
mod search;
mod street;
mod text;
mod token;
mod units;
mod unknown;
mod wording;
mod words;

pub use known::Known;
pub use normal::{area, names_number, normalise, postcode, postcode_spaced, street_name};
pub use premises::premises;
pub use probe::Probe;
pub use query::Query;
pub use rank::{Decision, Ranked, Ranking, rank};
pub use search::{CANDIDATES, Candidate, search};
pub use token::{INDEX_VERSION, TOKENS_MAX, index_tokens};
