//! Routes below `{listing_base_url}/api/v1/branch`.

pub mod filter;
