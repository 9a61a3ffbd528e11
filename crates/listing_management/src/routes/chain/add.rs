//! Routes below `{listing_base_url}/api/v1/chain/add`.

pub mod link;
