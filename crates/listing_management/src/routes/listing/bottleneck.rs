//! `GET {listing_base_url}/api/v1/listing/{listing_id}/bottleneck`: the sale that holds up a chain.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use web::list::Data;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::ListingManagement;
use crate::assessments::load_assessed;
use crate::caller::BranchCaller;
use crate::openapi::{describe, own_listing};
use crate::parameters::ListingInPath;
use crate::wire::bottleneck::BottleneckResource;

refusals!(ShowBottleneckRefusals = describe(own_listing()));

/// Shows which sale holds up the chain of your listing, and its step that takes longest.
///
/// Each open step has a clock: the days since the step before. The sale that is ready last most often
/// holds up the chain, by the days that the steps took in comparable sales. `/lagging` answers another
/// question: which sales have recorded less than the one that is furthest.
#[utoipa::path(
    get,
    path = "/api/v1/listing/{listing}/bottleneck",
    tag = "Chains",
    params(ListingInPath),
    responses(
        (status = 200, description = "The sale that holds up the chain, or the reason why none does.", body = Data<BottleneckResource>),
        ShowBottleneckRefusals,
    ),
)]
pub(crate) async fn show_bottleneck(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
) -> Result<Json<Data<BottleneckResource>>, Problem> {
    let assessed = load_assessed(management, caller, segments.listing(0)?).await?;
    let data = BottleneckResource::new(&assessed);
    Ok(Json(Data { data }))
}
