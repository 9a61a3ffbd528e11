//! Document 1's calls.

mod chains;
