//! The trust framework that somebody else runs: which issuer decides about a token, what an introspection answer
//! means, how long an answer is used, and which answers of the framework's directory are adopted (S-67 to S-73).
//!
//! Time is an argument, in Unix seconds or milliseconds. This crate knows nothing about HTTP, the store or chains.

pub mod answer;
pub mod call_limits;
pub mod decision;
pub mod directory;
pub mod known_tokens;
pub mod limits;
pub mod organisation;
