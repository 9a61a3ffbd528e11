//! Routes below `{listing_base_url}/api/v1/listing/chain/{listing}/uncheck`.

pub mod bottom;
pub mod top;
