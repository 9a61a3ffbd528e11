//! Bodies of answers.

pub mod addresses;
pub mod chains;
pub mod versions;
