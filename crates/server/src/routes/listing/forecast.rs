//! `GET {listing_base_url}/api/v1/listing/{listing_id}/forecast`: the likely days of exchange.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use observe::clock::date_in_london;

use crate::listing_management::ListingManagement;
use crate::listing_management::assessments::load_assessed;
use crate::listing_management::caller::BranchCaller;
use crate::listing_management::openapi::{describe, own_listing};
use crate::listing_management::parameters::ListingInPath;
use crate::listing_management::segments::Segments;
use crate::openapi::refusals::refusals;
use crate::problem::Problem;
use crate::wire::management::Data;
use crate::wire::management::forecast::ForecastResource;

refusals!(ShowForecastRefusals = describe(own_listing()));

/// Shows the days on which the chain of your listing is likely to exchange contracts.
///
/// There is no forecast while the error of past forecasts is unknown or too large. Then `silence` says
/// why, and `steps` still shows how long the open steps take in comparable sales. Recording a completed
/// milestone never makes the forecast later.
#[utoipa::path(
    method(get, head),
    path = "/api/v1/listing/{listing}/forecast",
    tag = "Chains",
    params(ListingInPath),
    responses(
        (status = 200, description = "The forecast, or the reason why there is none.", body = Data<ForecastResource>),
        ShowForecastRefusals,
    ),
)]
pub(crate) async fn show_forecast(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
) -> Result<Json<Data<ForecastResource>>, Problem> {
    let id = segments.listing(0)?;
    let today = date_in_london(management.clock.now_seconds()).unwrap_or_default();
    let shared = Arc::clone(&management);
    let assessing = management
        .storage
        .read(move |read| load_assessed(read, &shared, &caller, id, today.into()));
    let data = ForecastResource::new(&assessing.await?);
    Ok(Json(Data { data }))
}
