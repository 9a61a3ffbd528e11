//! Routes below `{listing_base_url}/api/v1/milestone_group/{milestone_group}/branch`.

pub mod listing;
