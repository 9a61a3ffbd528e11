//! `GET …/milestone_group/{milestone_group}/branch/{branch}/listing/{listing}/workflow`:
//! the milestones of a listing in one group.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use storage::{branch, milestones};
use web::problem::Problem;
use web::refusal::Refusal;
use web::refusals;
use web::segments::{Segments, unknown_branch};

use crate::ListingManagement;
use crate::caller::BranchCaller;
use crate::listings::find_own_listing;
use crate::openapi::{describe, own_listing, workflow};
use crate::parameters::{BranchInPath, GroupInPath, ListingInPath};
use crate::wire::catalogue::Workflow;

refusals!(ShowWorkflowRefusals = describe(workflow(), own_listing()));

/// Lists the types of a group, each with the milestone that one of your listings recorded.
///
/// `included` has the recorded milestones themselves.
#[utoipa::path(
    get,
    path = "/api/v1/milestone_group/{group}/branch/{branch}/listing/{listing}/workflow",
    tag = "Milestones",
    params(GroupInPath, BranchInPath, ListingInPath),
    responses(
        (status = 200, description = "The workflow.", body = Workflow),
        ShowWorkflowRefusals,
    ),
)]
pub(crate) async fn show_workflow(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
) -> Result<Json<Workflow>, Problem> {
    let group = segments.milestone_group(0)?;
    let branch_id = segments.branch(1)?;
    let listing = segments.listing(2)?;
    let exists = management
        .storage
        .lookup(move |read| branch::branch_exists(read, branch_id))
        .await?;
    if !exists {
        return Err(unknown_branch(segments.text(1)).into());
    }
    caller.check_branch(branch_id)?;
    let recorded = management
        .storage
        .read(move |read| {
            let found = find_own_listing(read, &caller, listing)?;
            if found.branch != branch_id {
                let detail = format!("listing {listing} does not belong to branch {branch_id}");
                return Err(Refusal::unknown("listing_unknown", detail).into());
            }
            let recorded = milestones::list_milestones_of_listing(read, listing)?;
            Ok::<_, Problem>(recorded)
        })
        .await?;
    Ok(Json(Workflow::new(group, &recorded)))
}
