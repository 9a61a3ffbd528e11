//! `GET {listing_base_url}/api/v1/listing/{listing_id}/proposals`: the proposed links of a listing.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::Uri;
use storage::proposals;
use web::described::pages;
use web::list::List;
use web::page::Query;
use web::parameters::Paging;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::ListingManagement;
use crate::caller::BranchCaller;
use crate::listings::find_own_listing;
use crate::openapi::{describe, own_listing};
use crate::parameters::ListingInPath;
use crate::wire::proposal::ProposalResource;

refusals!(ListProposalsRefusals = describe(own_listing(), pages()));

/// Lists the proposed links of one of your listings, the oldest first.
///
/// You confirm a proposal of another branch with `add/link`, and withdraw or decline one with
/// `remove/link`.
// S-47
#[utoipa::path(
    get,
    path = "/api/v1/listing/{listing}/proposals",
    tag = "Chains",
    params(ListingInPath, Paging),
    responses(
        (status = 200, description = "A page of the open proposals.", body = List<ProposalResource>),
        ListProposalsRefusals,
    ),
)]
pub async fn list_proposals(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
    uri: Uri,
) -> Result<Json<List<ProposalResource>>, Problem> {
    let id = segments.listing(0)?;
    let page = Query::parse(uri.query())?.only_page()?;
    let now = management.clock.now_seconds();
    let (total, open) = management
        .storage
        .read(move |read| {
            find_own_listing(read, &caller, id)?;
            let window = (page.limit(), page.offset());
            Ok::<_, Problem>(proposals::list_proposals(read, id, now, window)?)
        })
        .await?;
    Ok(page.answer(total, open.iter().map(ProposalResource::from).collect()))
}
