//! Whether the node works.

mod live;
mod ready;
