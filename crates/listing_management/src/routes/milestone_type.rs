//! `GET {listing_base_url}/api/v1/milestone_type`: the milestone types.

pub(crate) mod relationships {
    pub(crate) mod milestones;
}

use axum::Json;
use chain::milestone::CATALOGUE;
use web::list::Data;
use web::refusals;

use crate::caller::BranchCaller;
use crate::openapi::describe;
use crate::wire::catalogue::MilestoneTypeResource;

refusals!(ListMilestoneTypesRefusals = describe());

/// Lists all milestone types, in the order of the catalogue.
///
/// A milestone is recorded by the `key` of its type.
#[utoipa::path(
    get,
    path = "/api/v1/milestone_type",
    tag = "Milestones",
    responses(
        (status = 200, description = "The catalogue.", body = Data<Vec<MilestoneTypeResource>>),
        ListMilestoneTypesRefusals,
    ),
)]
pub(crate) async fn list_milestone_types(
    _caller: BranchCaller,
) -> Json<Data<Vec<MilestoneTypeResource>>> {
    let data = CATALOGUE.iter().map(MilestoneTypeResource::from).collect();
    Json(Data { data })
}
