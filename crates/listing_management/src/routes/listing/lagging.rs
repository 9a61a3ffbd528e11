//! `GET {listing_base_url}/api/v1/listing/{listing_id}/lagging`: the sales that delay a chain.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chain::ids::ChainId;
use chain::progress::{self, Recorded};
use storage::listings::{self, StoredListing};
use storage::{Read, milestones};
use web::list::Data;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::ListingManagement;
use crate::caller::BranchCaller;
use crate::links::load_chain;
use crate::listings::{find_own_listing, in_order};
use crate::openapi::{describe, own_listing};
use crate::parameters::ListingInPath;
use crate::wire::listing::ListingResource;

refusals!(ListLaggingRefusals = describe(own_listing()));

/// Lists the listings that are behind the most advanced one of the chain.
///
/// The listings that have recorded less than the one that is furthest, bottom to top.
#[utoipa::path(
    get,
    path = "/api/v1/listing/{listing}/lagging",
    tag = "Chains",
    params(ListingInPath),
    responses(
        (status = 200, description = "The listings, bottom to top.", body = Data<Vec<ListingResource>>),
        ListLaggingRefusals,
    ),
)]
pub(crate) async fn list_lagging(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
) -> Result<Json<Data<Vec<ListingResource>>>, Problem> {
    let id = segments.listing(0)?;
    let lagging = management
        .storage
        .read(move |read| {
            let listing = find_own_listing(read, &caller, id)?;
            find_lagging(read, listing.chain)
        })
        .await?;
    let data = lagging.iter().map(ListingResource::plain).collect();
    Ok(Json(Data { data }))
}

fn find_lagging(read: &mut Read<'_>, chain: ChainId) -> Result<Vec<StoredListing>, Problem> {
    let recorded = milestones::list_milestones_of_chain(read, chain)?;
    let furthest = |listing| {
        let own = recorded.iter().filter(|one| one.listing == listing);
        progress::furthest(own.map(|one| Recorded {
            milestone: one.kind,
            date: one.date,
        }))
    };
    let ordered = load_chain(read, chain)?;
    let listings = ordered.listings().iter();
    let all: Vec<_> = listings.map(|id| (*id, furthest(*id))).collect();
    let behind = progress::lagging(&all);
    let mut found = listings::list_listings_of_chain(read, chain)?;
    found.retain(|listing| behind.contains(&listing.id));
    Ok(in_order(found, &behind))
}
