//! Document 1's calls.

mod addresses;
mod asker;
mod chains;
mod rows;
