//! `GET {listing_base_url}/api/v1/milestone_type/{milestone_type_id}/relationships/milestones`:
//! the caller's milestones of one type.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::Uri;
use storage::{StorageError, milestones};
use web::described::pages;
use web::list::List;
use web::page::Query;
use web::parameters::Paging;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::ListingManagement;
use crate::caller::BranchCaller;
use crate::openapi::{describe, milestone_type};
use crate::parameters::TypeInPath;
use crate::wire::milestone::MilestoneResource;

refusals!(ListMilestonesRefusals = describe(milestone_type(), pages()));

/// Lists the milestones of one type that your listings have.
///
/// Withdrawn milestones are not listed.
#[utoipa::path(
    get,
    path = "/api/v1/milestone_type/{id}/relationships/milestones",
    tag = "Milestones",
    operation_id = "list_milestones_of_type",
    params(TypeInPath, Paging),
    responses(
        (status = 200, description = "A page of milestones.", body = List<MilestoneResource>),
        ListMilestonesRefusals,
    ),
)]
pub(crate) async fn list_milestones(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
    uri: Uri,
) -> Result<Json<List<MilestoneResource>>, Problem> {
    let kind = segments.milestone_type_by_id(0)?;
    let page = Query::parse(uri.query())?.only_page()?;
    let actor = caller.actor().to_owned();
    let (total, recorded) = management
        .storage
        .read_by_index(move |read| {
            let client = caller.actor();
            let (limit, offset) = (page.limit(), page.offset());
            let found = milestones::list_milestones_of_type(read, client, kind.id, limit, offset)?;
            Ok::<_, StorageError>(found)
        })
        .await?;
    management.owe(&actor, total);
    Ok(page.answer(
        total,
        recorded.iter().map(MilestoneResource::from).collect(),
    ))
}
