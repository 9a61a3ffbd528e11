//! Reads listings and checks their branches (S-47).

use chain::ids::ListingId;
use chain::permission;
use storage::Read;
use storage::listings::{self, StoredListing};
use web::problem::Problem;
use web::refusal::Refusal;

use super::caller::BranchCaller;

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

/// Puts listings into the order of `ids`.
pub fn in_order(mut listings: Vec<StoredListing>, ids: &[ListingId]) -> Vec<StoredListing> {
    listings.sort_by_key(|listing| ids.iter().position(|id| *id == listing.id));
    listings
}

fn check_own(caller: &BranchCaller, listing: &StoredListing) -> Result<(), Refusal> {
    if permission::is_own(caller.branches(), listing.branch) {
        Ok(())
    } else {
        Err(Refusal::foreign_listing(listing.id))
    }
}
