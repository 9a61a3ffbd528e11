//! Document 1's calls.

mod addresses;
mod chains;
