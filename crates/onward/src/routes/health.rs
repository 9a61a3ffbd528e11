//! Whether this node works.

pub mod live;
pub mod ready;
