//! `GET {listing_base_url}/api/v1/listing/{listing_id}/is-complete`: shows whether both ends
//! of the chain are checked.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::ListingManagement;
use crate::caller::BranchCaller;
use crate::links::load_chain;
use crate::listings::find_own_listing;
use crate::openapi::{describe, own_listing};
use crate::parameters::ListingInPath;
use crate::wire::Verdict;

refusals!(ShowCompletenessRefusals = describe(own_listing()));

/// Shows whether both ends of the listing's chain are checked.
///
/// A chain with several tops or bottoms is complete when all of them are checked.
#[utoipa::path(
    get,
    path = "/api/v1/listing/{listing}/is-complete",
    tag = "Chains",
    params(ListingInPath),
    responses(
        (status = 200, description = "`result` is true if both are checked.", body = Verdict),
        ShowCompletenessRefusals,
    ),
)]
pub(crate) async fn show_completeness(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
) -> Result<Json<Verdict>, Problem> {
    let id = segments.listing(0)?;
    let is_complete = management
        .storage
        .read(move |read| {
            let listing = find_own_listing(read, &caller, id)?;
            let chain = load_chain(read, listing.chain)?;
            Ok::<_, Problem>(chain.top_checked() && chain.bottom_checked())
        })
        .await?;
    Ok(Json(Verdict::new(is_complete)))
}
