//! Bodies of answers as they are sent. Only these types serialise; domain types never do.

pub(crate) mod addresses;
pub(crate) mod chains;
pub(crate) mod management;
pub(crate) mod webhooks;
