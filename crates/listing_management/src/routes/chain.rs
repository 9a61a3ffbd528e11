//! Routes below `{listing_base_url}/api/v1/chain`.

pub mod add;
pub mod check;
pub mod history;
pub mod listings;
pub mod remove;
pub mod uncheck;
