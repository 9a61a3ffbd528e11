//! Bodies of the documents, as they travel. Domain types never serialise.

pub mod addresses;
pub mod chains;
pub mod keys;
pub mod management;
pub mod webhooks;
