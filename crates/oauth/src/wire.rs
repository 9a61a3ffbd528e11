//! Bodies of answers.

pub mod introspection;
pub mod keys;
pub mod metadata;
pub mod organisation;
pub mod token;
