//! `POST {listing_base_url}/api/v1/branch/filter`: finds branches by name.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use storage::{StorageError, branch};
use utoipa::openapi::schema::ObjectBuilder;
use web::described::{pages, wrong_member};
use web::list::List;
use web::parameters::Paging;
use web::problem::Problem;
use web::schema::text;
use web::{body, refusals};

use crate::ListingManagement;
use crate::openapi::{describe, keyed_body};
use crate::wire::directory::BranchResource;
use crate::write_request::WriteRequest;

refusals!(
    FilterBranchesRefusals = describe(keyed_body(), wrong_member("name", "is missing"), pages(),)
);

/// Lists the branches with a given text in their names, ignoring case.
///
/// Without a match the list is empty.
#[utoipa::path(
    post,
    path = "/api/v1/branch/filter",
    tag = "Addresses and branches",
    params(Paging),
    request_body = BranchFilterBody,
    responses(
        (status = 200, description = "A page of branches.", body = List<BranchResource>),
        FilterBranchesRefusals,
    ),
)]
pub(crate) async fn filter_branches(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Json<List<BranchResource>>, Problem> {
    let page = request.query()?.only_page()?;
    let mut fields = request.fields()?;
    fields.require("name");
    let name = fields.sought_text("name").unwrap_or_default();
    fields.finish()?;
    let (total, found) = management
        .storage
        .read(move |read| {
            let found = branch::list_branches_by_name(read, &name, page.limit(), page.offset())?;
            Ok::<_, StorageError>(found)
        })
        .await?;
    Ok(page.answer(total, found.into_iter().map(BranchResource::from).collect()))
}

body!(BranchFilterBody = branch_filter_body());

/// The body that `filter_branches` parses.
fn branch_filter_body() -> ObjectBuilder {
    let name =
        text(chain::limits::TEXT_CHARACTERS_MAX).description(Some("A part of the branch's name."));
    ObjectBuilder::new().property("name", name).required("name")
}
