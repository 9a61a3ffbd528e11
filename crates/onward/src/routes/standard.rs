//! Document 1's calls.

pub mod chains;
