//! Bodies of answers.

pub mod addresses;
pub mod chains;
