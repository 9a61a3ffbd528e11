//! `POST {listing_base_url}/api/v1/chain/add/link`: links a buyer listing to a seller listing.

use std::sync::Arc;

use axum::extract::State;
use chain::ids::ListingId;
use chain::state::Link;
use http::StatusCode;
use storage::{StorageError, Write};
use utoipa::openapi::schema::ObjectBuilder;
use web::described::wrong_member;
use web::json_body::JsonBody;
use web::list::Data;
use web::problem::Problem;
use web::schema::id;
use web::{body, refusals};

use crate::ListingManagement;
use crate::links;
use crate::openapi::{any_write, both_sides, describe, linking};
use crate::parameters::IdempotencyKey;
use crate::reply::Reply;
use crate::wire::listing::ListingResource;
use crate::wire::proposal::ProposalResource;
use crate::write_request::WriteRequest;
use crate::writing::Written;

refusals!(
    AddLinkRefusals = describe(
        any_write(),
        wrong_member("seller", "is missing"),
        both_sides(),
        linking(),
    )
);

/// Links two listings. At least one must be yours.
///
/// `buyer` is the listing of the person who buys `seller`. The two chains become one. The answer
/// has both listings, bottom to top.
///
/// Where the service asks both branches, a link to a listing of another branch is only proposed. The
/// same call of the other branch confirms it.
#[utoipa::path(
    post,
    path = "/api/v1/chain/add/link",
    tag = "Chains",
    params(IdempotencyKey),
    request_body = LinkBody,
    responses(
        (status = 200, description = "The buyer listing, then the seller listing.", body = Data<Vec<ListingResource>>),
        (status = 202, description = "The other branch must confirm the link.", body = Data<ProposalResource>),
        AddLinkRefusals,
    ),
)]
pub(crate) async fn add_link(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Written<Reply>, Problem> {
    let link = read_link(&request)?;
    request
        .write(&management, move |write, author| {
            if let Some(proposal) = links::add_link(write, author, link)? {
                return Reply::proposed(&proposal);
            }
            let data = [
                show_listing(write, link.buyer)?,
                show_listing(write, link.seller)?,
            ];
            Reply::json(StatusCode::OK, &Data { data })
        })
        .await
}

/// Parses `{seller, buyer}`.
pub(in crate::routes) fn read_link(request: &WriteRequest) -> Result<Link, Problem> {
    let mut fields = request.fields()?;
    let seller = fields.required_id("seller");
    let buyer = fields.required_id("buyer");
    fields.finish()?;
    match (seller, buyer) {
        (Some(seller), Some(buyer)) => Ok(Link {
            seller: ListingId(seller),
            buyer: ListingId(buyer),
        }),
        _incomplete => Err(JsonBody::incomplete()),
    }
}

fn show_listing(write: &mut Write<'_>, id: ListingId) -> Result<ListingResource, StorageError> {
    let found = storage::listings::find_stored_listing(write, id)?;
    let found = found.as_ref().map(ListingResource::plain);
    found.ok_or_else(|| StorageError::Corrupt(format!("listing {id} vanished")))
}

body!(LinkBody = link_body());

/// The body that `read_link` parses.
fn link_body() -> ObjectBuilder {
    ObjectBuilder::new()
        .property(
            "seller",
            id().description(Some("The listing that is bought.")),
        )
        .property(
            "buyer",
            id().description(Some("The listing of the person who buys `seller`.")),
        )
        .required("seller")
        .required("buyer")
}
