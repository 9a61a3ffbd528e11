//! What the tests of the chain query and of the look-up share.

pub(crate) mod questions;
pub(crate) mod rows;
pub(crate) mod versions;
