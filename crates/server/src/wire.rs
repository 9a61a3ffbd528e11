//! Bodies of the documents, as they travel. Domain types never serialise.

pub(crate) mod addresses;
pub(crate) mod chains;
pub(crate) mod directory;
pub(crate) mod introspection;
pub(crate) mod keys;
pub(crate) mod management;
pub(crate) mod metadata;
pub(crate) mod token;
pub(crate) mod webhooks;
