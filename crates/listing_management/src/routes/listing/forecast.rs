//! `GET {listing_base_url}/api/v1/listing/{listing_id}/forecast`: the likely days of exchange.

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
use crate::wire::forecast::ForecastResource;

refusals!(ShowForecastRefusals = describe(own_listing()));

/// Shows the days on which the chain of your listing is likely to exchange contracts.
///
/// There is no forecast while the error of past forecasts is unknown or too large. Then `silence` says
/// why, and `steps` still shows how long the open steps take in comparable sales. Recording a completed
/// milestone never makes the forecast later.
#[utoipa::path(
    get,
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
    let assessed = load_assessed(management, caller, segments.listing(0)?).await?;
    let data = ForecastResource::new(&assessed);
    Ok(Json(Data { data }))
}
