//! Routes below `{listing_base_url}/api/v1/listing/chain/{listing}/check`.

pub(crate) mod bottom;
pub(crate) mod top;
