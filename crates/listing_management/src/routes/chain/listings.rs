//! `GET {listing_base_url}/api/v1/chain/{chain_link_id}/listings`: lists a chain.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use web::list::Data;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::ListingManagement;
use crate::caller::BranchCaller;
use crate::ends::find_own_chain;
use crate::listings::in_order;
use crate::openapi::{describe, own_chain};
use crate::parameters::ChainInPath;
use crate::wire::listing::ListingResource;

refusals!(ListChainRefusals = describe(own_chain()));

/// Lists all listings of a chain, bottom to top. At least one must be yours.
///
/// The listings of other branches appear with the attributes of a list.
#[utoipa::path(
    get,
    path = "/api/v1/chain/{chain}/listings",
    tag = "Chains",
    params(ChainInPath),
    responses(
        (status = 200, description = "The listings, bottom to top.", body = Data<Vec<ListingResource>>),
        ListChainRefusals,
    ),
)]
pub async fn list_chain(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
) -> Result<Json<Data<Vec<ListingResource>>>, Problem> {
    let id = segments.chain(0)?;
    let listings = management
        .storage
        .read(move |read| {
            let chain = find_own_chain(read, &caller, id)?;
            let listings = storage::listings::list_listings_of_chain(read, id)?;
            Ok::<_, Problem>(in_order(listings, chain.listings()))
        })
        .await?;
    let data = listings.iter().map(ListingResource::plain).collect();
    Ok(Json(Data { data }))
}
