//! Routes below `{listing_base_url}/api/v1/listing/chain/{listing}/add`.

pub(crate) mod bottom;
pub(crate) mod top;
