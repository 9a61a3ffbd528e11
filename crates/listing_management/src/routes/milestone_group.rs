//! `GET {listing_base_url}/api/v1/milestone_group`: the milestone groups.

pub(crate) mod branch {
    pub(crate) mod listing {
        pub(crate) mod workflow;
    }
}

use axum::Json;
use chain::milestone::Group;
use web::list::Data;
use web::refusals;

use crate::caller::BranchCaller;
use crate::openapi::describe;
use crate::wire::catalogue::MilestoneGroupResource;

refusals!(ListMilestoneGroupsRefusals = describe());

/// Lists all groups of milestone types.
///
/// The workflow of a listing is read by group.
#[utoipa::path(
    get,
    path = "/api/v1/milestone_group",
    tag = "Milestones",
    responses(
        (status = 200, description = "The groups.", body = Data<Vec<MilestoneGroupResource>>),
        ListMilestoneGroupsRefusals,
    ),
)]
pub(crate) async fn list_milestone_groups(
    _caller: BranchCaller,
) -> Json<Data<Vec<MilestoneGroupResource>>> {
    let groups = Group::ALL.into_iter();
    let data = groups.map(MilestoneGroupResource::from).collect();
    Json(Data { data })
}
