//! Routes below `{listing_base_url}/api/v1/address`.

pub mod filter;
