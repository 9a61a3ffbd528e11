//! `GET {listing_base_url}/api/v1/chain/{chain_link_id}/history`: the changes of a chain.

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
use crate::ends::find_own_chain;
use crate::openapi::{describe, own_chain};
use crate::parameters::ChainInPath;
use crate::wire::history::HistoryResource;

refusals!(ListChainHistoryRefusals = describe(own_chain(), pages()));

/// Lists the history of a chain, the oldest entry first. At least one of its listings must be yours.
///
/// It has the links, the checks of ends and the milestones with a label of the listings that are in the
/// chain now, and the organisations that made the changes.
// S-47
#[utoipa::path(
    get,
    path = "/api/v1/chain/{chain}/history",
    tag = "Chains",
    params(ChainInPath, Paging),
    responses(
        (status = 200, description = "A page of the history.", body = List<HistoryResource>),
        ListChainHistoryRefusals,
    ),
)]
pub(crate) async fn list_chain_history(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
    uri: Uri,
) -> Result<Json<List<HistoryResource>>, Problem> {
    let id = segments.chain(0)?;
    let page = Query::parse(uri.query())?.only_page()?;
    let actor = caller.actor().to_owned();
    let (lines, (total, entries)) = management
        .storage
        .read(move |read| {
            find_own_chain(read, &caller, id)?;
            let lines = storage::history::count_of_chain(read, id)?;
            let (limit, offset) = (page.limit(), page.offset());
            let entries = storage::history::list_history_of_chain(read, id, limit, offset)?;
            Ok::<_, Problem>((lines, entries))
        })
        .await?;
    management.owe(&actor, lines);
    let data = entries.into_iter().map(HistoryResource::of_chain);
    Ok(page.answer(total, data.collect::<Result<_, _>>()?))
}
