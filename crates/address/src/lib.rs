//! Addresses and postcodes of the United Kingdom as people type them.
//!
//! This crate knows nothing about I/O, clocks, randomness, JSON, SQL or chains. The numbers `S-1`
//! to `S-54` in its comments are the decisions of the written specification.

mod normal;

pub use normal::{area, names_number, normalise, postcode, postcode_spaced, street_name};
