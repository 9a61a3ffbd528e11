//! Routes below `{listing_base_url}/api/v1/chain/remove`.

pub mod link;
