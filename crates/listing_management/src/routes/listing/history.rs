//! `GET {listing_base_url}/api/v1/listing/{listing_id}/history`: the changes of a listing.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::Uri;
use web::described::pages;
use web::list::List;
use web::page::Query;
use web::parameters::Paging;
use web::problem::Problem;
use web::refusals;
use web::segments::Segments;

use crate::ListingManagement;
use crate::caller::BranchCaller;
use crate::listings::find_own_listing_ever;
use crate::openapi::{describe, own_listing};
use crate::parameters::ListingInPath;
use crate::wire::history::HistoryResource;

refusals!(ListHistoryRefusals = describe(own_listing(), pages()));

/// Lists the history of one of your listings, the oldest entry first.
///
/// A withdrawn listing keeps its history.
#[utoipa::path(
    get,
    path = "/api/v1/listing/{listing}/history",
    tag = "Listings",
    params(ListingInPath, Paging),
    responses(
        (status = 200, description = "A page of the history.", body = List<HistoryResource>),
        ListHistoryRefusals,
    ),
)]
pub async fn list_history(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
    uri: Uri,
) -> Result<Json<List<HistoryResource>>, Problem> {
    let id = segments.listing(0)?;
    let page = Query::parse(uri.query())?.only_page()?;
    let actor = caller.actor().to_owned();
    let (total, entries) = management
        .storage
        .read(move |read| {
            find_own_listing_ever(read, &caller, id)?;
            let entries = storage::history::list_history(read, id, page.limit(), page.offset())?;
            Ok::<_, Problem>(entries)
        })
        .await?;
    management.owe(&actor, page.offset().min(total));
    let data = entries.into_iter().map(HistoryResource::try_from);
    Ok(page.answer(total, data.collect::<Result<_, _>>()?))
}
