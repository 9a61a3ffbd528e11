//! Routes below `{listing_base_url}/api/v1/listing/chain/{listing}/check`.

pub mod bottom;
pub mod top;
