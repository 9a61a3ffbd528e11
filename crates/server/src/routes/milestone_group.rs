//! `GET {listing_base_url}/api/v1/milestone_group`: the milestone groups.

pub(crate) mod branch;

use axum::Json;
use chain::milestone::Group;

use crate::listing_management::caller::BranchCaller;
use crate::listing_management::causes::Refused;
use crate::wire::management::Data;
use crate::wire::management::catalogue::MilestoneGroupResource;

/// Lists all groups of milestone types.
#[utoipa::path(
    method(get, head),
    path = "/api/v1/milestone_group",
    tag = "Milestones",
    responses(
        (status = 200, description = "The groups.", body = Data<Vec<MilestoneGroupResource>>),
        Refused::<()>,
    ),
)]
pub(crate) async fn list_milestone_groups(
    _caller: BranchCaller,
) -> Json<Data<Vec<MilestoneGroupResource>>> {
    let groups = Group::ALL.into_iter();
    let data = groups.map(MilestoneGroupResource::from).collect();
    Json(Data { data })
}
