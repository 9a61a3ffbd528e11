//! Bodies of the documents, as they travel. Domain types never serialise.

pub mod addresses;
pub mod chains;
pub mod directory;
pub mod introspection;
pub mod keys;
pub mod management;
pub mod metadata;
pub mod webhooks;
