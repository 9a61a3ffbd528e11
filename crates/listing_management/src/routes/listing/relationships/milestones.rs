//! `GET {listing_base_url}/api/v1/listing/{listing_id}/relationships/milestones`: the milestones of
//! a listing.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use storage::milestones;
use web::list::Data;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::ListingManagement;
use crate::caller::BranchCaller;
use crate::listings::find_own_listing;
use crate::openapi::{describe, own_listing};
use crate::parameters::ListingInPath;
use crate::wire::milestone::MilestoneResource;

refusals!(ListMilestonesRefusals = describe(own_listing()));

/// Lists the milestones of one of your listings, in the order of the catalogue.
///
/// Withdrawn milestones are not listed.
#[utoipa::path(
    get,
    path = "/api/v1/listing/{listing}/relationships/milestones",
    tag = "Milestones",
    operation_id = "list_milestones_of_listing",
    params(ListingInPath),
    responses(
        (status = 200, description = "The milestones.", body = Data<Vec<MilestoneResource>>),
        ListMilestonesRefusals,
    ),
)]
pub(crate) async fn list_milestones(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
) -> Result<Json<Data<Vec<MilestoneResource>>>, Problem> {
    let id = segments.listing(0)?;
    let recorded = management
        .storage
        .read(move |read| {
            find_own_listing(read, &caller, id)?;
            let recorded = milestones::list_milestones_of_listing(read, id)?;
            Ok::<_, Problem>(recorded)
        })
        .await?;
    let data = recorded.iter().map(MilestoneResource::from).collect();
    Ok(Json(Data { data }))
}
