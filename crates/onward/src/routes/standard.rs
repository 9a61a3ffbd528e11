//! Document 1's calls.

pub mod addresses;
pub mod chains;
