//! Routes below `{listing_base_url}/api/v1/chain`.

pub(crate) mod add;
pub(crate) mod check;
pub(crate) mod history;
pub(crate) mod listings;
pub(crate) mod remove;
pub(crate) mod uncheck;
