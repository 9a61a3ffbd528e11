//! What the stories of the chain query and of the look-up share.

pub(crate) mod asker;
pub(crate) mod rows;
