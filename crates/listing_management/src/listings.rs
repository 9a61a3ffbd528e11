//! Reads listings, checks their branches, and loads their includes (S-47, S-49).

use chain::ids::ListingId;
use chain::permission;
use storage::listings::{self, StoredListing};
use storage::{Read, milestones};
use web::problem::Problem;
use web::refusal::Refusal;

use super::caller::BranchCaller;
use super::links::load_chain;
use crate::wire::document::{Include, Sources};

/// Finds a listing of one of the caller's branches: 404 if it does not exist, 403 if it belongs to
/// another branch.
pub fn find_own_listing(
    read: &mut Read<'_>,
    caller: &BranchCaller,
    id: ListingId,
) -> Result<StoredListing, Problem> {
    let found = listings::find_stored_listing(read, id)?;
    let found = found.filter(|found| found.deleted_at.is_none());
    let listing = found.ok_or_else(|| Refusal::unknown_listing(id))?;
    check_own(caller, &listing)?;
    Ok(listing)
}

/// Like [`find_own_listing`], but also finds withdrawn listings. Their history stays readable.
pub fn find_own_listing_ever(
    read: &mut Read<'_>,
    caller: &BranchCaller,
    id: ListingId,
) -> Result<StoredListing, Problem> {
    let found = listings::find_stored_listing(read, id)?;
    let listing = found.ok_or_else(|| Refusal::unknown_listing(id))?;
    let is_own = permission::is_own(caller.branches(), listing.branch);
    if listing.deleted_at.is_some() && !is_own {
        return Err(Refusal::unknown_listing(id).into());
    }
    check_own(caller, &listing)?;
    Ok(listing)
}

/// Loads a listing with the rows that its includes need.
pub fn load_sources(
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

/// Puts listings into the order of `ids`.
pub fn in_order(mut listings: Vec<StoredListing>, ids: &[ListingId]) -> Vec<StoredListing> {
    listings.sort_by_key(|listing| ids.iter().position(|id| *id == listing.id));
    listings
}

/// The refusal of an unknown include.
pub fn unknown_include(name: &str) -> Refusal {
    let name: String = name.chars().take(64).collect();
    let known = Include::ALL.map(Include::as_str).join(", ");
    let detail = format!("`{name}` cannot be included; there are {known}");
    Refusal::invalid("include_unknown", "includes", detail)
}

fn check_own(caller: &BranchCaller, listing: &StoredListing) -> Result<(), Refusal> {
    if permission::is_own(caller.branches(), listing.branch) {
        Ok(())
    } else {
        Err(Refusal::foreign_listing(listing.id))
    }
}
