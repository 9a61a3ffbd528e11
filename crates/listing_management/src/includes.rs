//! Loads a listing with its includes (S-49).

use chain::ids::ListingId;
use storage::{Read, listings, milestones};
use web::problem::Problem;
use web::refusal::Refusal;

use crate::caller::BranchCaller;
use crate::links::load_chain;
use crate::listings::find_own_listing;
use crate::wire::document::{Include, Sources};

/// Loads a listing with the rows that its includes need.
pub(crate) fn load_sources(
    read: &mut Read<'_>,
    caller: &BranchCaller,
    id: ListingId,
    includes: &[Include],
) -> Result<Sources, Problem> {
    let listing = find_own_listing(read, caller, id)?;
    let chain = if includes.iter().any(|include| include.needs_chain()) {
        let chain = load_chain(read, listing.chain)?;
        let members = listings::list_listings_of_chain(read, listing.chain)?;
        Some((chain, members))
    } else {
        None
    };
    let milestones = if includes.contains(&Include::Milestones) {
        milestones::list_milestones_of_listing(read, id)?
    } else {
        Vec::new()
    };
    Ok(Sources {
        listing,
        chain,
        milestones,
    })
}

/// The refusal of an unknown include.
pub(crate) fn unknown_include(name: &str) -> Refusal {
    let name: String = name.chars().take(64).collect();
    let known = Include::ALL.map(Include::as_str).join(", ");
    let detail = format!("`{name}` cannot be included; there are {known}");
    Refusal::invalid("include_unknown", "includes", detail)
}
