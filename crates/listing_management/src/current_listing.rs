//! Tells a branch the current listing of a home that it names by its address, so that it can link to it
//! (S-91).

use address::{Decision, Query};
use chain::ids::{BranchId, ListingId, PropertyId};
use serde::Serialize;
use storage::accesses::{self, Access};
use storage::quotas::{self, Used};
use storage::{Read, StorageError, current_listings};
use utoipa::ToSchema;
use web::problem::Problem;

use crate::ListingManagement;
use crate::caller::BranchCaller;
use crate::quotas::told_used_up;

/// The current listing of a home. Nothing else of it is told.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CurrentListing {
    /// The listing's id, for `add/link`.
    #[schema(minimum = 1)]
    id: i64,
    /// The name of the branch that sells the home.
    branch_name: String,
}

/// A home that an address means.
struct Home {
    property: PropertyId,
    listing: Option<(ListingId, String)>,
    /// The branch of the caller that has been told the fewest listings, and their number.
    charged: (BranchId, i64),
}

/// Finds the current listing of the one home that an address means, and counts the answer for a branch of
/// the caller. Once the branch's quota is used up, a home without a listing is refused as well, so that a
/// refusal tells nothing.
pub(crate) async fn tell(
    management: &ListingManagement,
    caller: &BranchCaller,
    text: String,
) -> Result<Option<CurrentListing>, Problem> {
    let now = management.clock.now_seconds();
    let branches = caller.branches().to_vec();
    // The body may have taken its time.
    let proved = caller.clone();
    let finding = management.storage.read(move |read| {
        proved.prove_again(read)?;
        Ok::<_, Problem>(find_home(read, &text, &branches, now)?)
    });
    let (home, compared) = finding.await?;
    management.owe(caller.actor(), compared);
    let Some(home) = home else {
        return Ok(None);
    };
    let (branch, told) = home.charged;
    if let Some(limit) = management.quotas.told_listings_per_day
        && told >= limit
    {
        return Err(told_used_up(branch, limit));
    }
    let Some((id, branch_name)) = home.listing else {
        return Ok(None);
    };
    let access = Access {
        accessed_at: now,
        client: caller.actor().to_owned(),
        property: home.property,
    };
    let (limit, branches) = (
        management.quotas.told_listings_per_day,
        caller.branches().to_vec(),
    );
    let counting = management.storage.write(move |write| {
        // Other answers may have been counted since.
        let charged = find_least_told(write, &branches, now)?;
        let (branch, told) = charged.unwrap_or((branch, 0));
        if let Some(limit) = limit.filter(|limit| told >= *limit) {
            return Err(told_used_up(branch, limit));
        }
        let holder = branch.to_string();
        quotas::add_used(write, &holder, Used::ToldListings, 1, now)?;
        accesses::insert_accesses(write, std::slice::from_ref(&access))?;
        Ok(())
    });
    counting.await?;
    let id = id.0;
    Ok(Some(CurrentListing { id, branch_name }))
}

/// The one home that an address means (S-7), and the number of homes that were compared. A postcode alone
/// means no home.
fn find_home(
    read: &mut Read<'_>,
    text: &str,
    branches: &[BranchId],
    now: i64,
) -> Result<(Option<Home>, i64), StorageError> {
    let query = Query::parse(text);
    if address::postcode(text).is_some() || query.postcode_alone().is_some() {
        return Ok((None, 0));
    }
    let mut compared = 0;
    let ranking = property_search::rank(read, &query, |_property| compared += 1)?;
    let Decision::One(property) = ranking.decision() else {
        return Ok((None, compared));
    };
    // A caller without branches links nothing.
    let Some(charged) = find_least_told(read, branches, now)? else {
        return Ok((None, compared));
    };
    let listing = current_listings::find_listing_to_link(read, property)?;
    let home = Home {
        property,
        listing,
        charged,
    };
    Ok((Some(home), compared))
}

/// The branch that was told the fewest current listings in a day, and how many. `None` if there is no branch.
fn find_least_told(
    read: &mut Read<'_>,
    branches: &[BranchId],
    now: i64,
) -> Result<Option<(BranchId, i64)>, StorageError> {
    let since = now - web::limits::DAY_SECONDS;
    let mut least = None;
    for branch in branches {
        let told = quotas::sum_used(read, &branch.to_string(), Used::ToldListings, since)?;
        if least.is_none_or(|(_branch, least)| told < least) {
            least = Some((*branch, told));
        }
    }
    Ok(least)
}
