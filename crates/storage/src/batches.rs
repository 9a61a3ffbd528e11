//! Many rows at once, for imports. Each function takes the rows of one batch, and costs one round trip.

mod found;
mod homes;
mod lines;
mod settling;
mod written;

pub use self::found::{
    FoundMilestone, ListingKey, find_branches, find_chains, find_chains_of_properties,
    find_listings, find_milestones, find_placeholders, find_properties, reserve_listings,
    reserve_properties, share_a_chain,
};
pub use self::homes::{Numbered, number_placeholders};
pub use self::lines::append_lines;
pub use self::settling::{Holder, find_holders, settle_listings, settle_properties};
pub use self::written::{
    NewListing, NewMilestone, change_end_checks, change_listings, change_milestones,
    change_properties, insert_chains, insert_links, insert_listings, insert_milestones,
    insert_properties, merge_chains, touch_listings,
};
