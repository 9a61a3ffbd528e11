//! Routes below `{listing_base_url}/api/v1/milestone_type/{milestone_type_id}/relationships`.

pub mod milestones;
