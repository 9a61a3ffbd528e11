//! Routes below `{listing_base_url}/api/v1/listing/{listing_id}/relationships`.

pub mod milestones;
