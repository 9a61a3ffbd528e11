//! `{listing_base_url}/api/v1/listing` and `…/listing/{listing_id}`: the caller's listings.

pub mod bottleneck;
pub mod chain;
pub mod forecast;
pub mod history;
pub mod is_complete;
pub mod lagging;
pub mod milestone;
pub mod proposals;
pub(crate) mod relationships {
    pub(crate) mod milestones;
}
pub mod reopen_enquiries;

use std::sync::Arc;

use ::chain::ids::ListingId;
use axum::Json;
use axum::extract::State;
use http::{StatusCode, Uri};
use storage::listings::ListingPage;
use storage::{StorageError, Write};
use web::described::{pages, wrong_member};
use web::list::Data;
use web::list::List;
use web::page::{Query, refuse_errors};
use web::parameters::Paging;
use web::problem::Problem;
use web::refusal::Refusal;
use web::refusals;
use web::segments::Segments;

use crate::ListingManagement;
use crate::author::Author;
use crate::caller::BranchCaller;
use crate::includes::{load_sources, unknown_include};
use crate::listing_fields::described::{ListingChangesBody, NewListingBody};
use crate::listing_fields::{ListingChanges, NewListing};
use crate::listing_writes;
use crate::listings::find_own_listing;
use crate::openapi::{
    any_write, branch_and_property, describe, fixed_reference, includes, own_listing, quotas,
    unlinked,
};
use crate::parameters::{IdempotencyKey, Includes, ListingFilter, ListingInPath};
use crate::quotas::Allowance;
use crate::reply::Reply;
use crate::wire::SuccessAnswer;
use crate::wire::document::{DescribedListing, Include, ListingDocument};
use crate::wire::listing::ListingResource;
use crate::write_request::WriteRequest;
use crate::writing::Written;

refusals!(ShowListingRefusals = describe(own_listing(), includes()));

/// Shows one of your listings, with the resources that `includes` requests.
///
/// The answer has `included` only if the request has `includes`. With `milestones` among them, ids
/// are strings.
#[utoipa::path(
    get,
    path = "/api/v1/listing/{listing}",
    tag = "Listings",
    params(ListingInPath, Includes),
    responses(
        (status = 200, description = "The listing.", body = DescribedListing),
        ShowListingRefusals,
    ),
)]
pub(crate) async fn show_listing(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    segments: Segments,
    uri: Uri,
) -> Result<Json<ListingDocument>, Problem> {
    let id = segments.listing(0)?;
    let query = Query::parse(uri.query())?;
    let includes = read_includes(&query)?;
    let wanted = includes.clone();
    let load = move |read: &mut storage::Read<'_>| load_sources(read, &caller, id, &wanted);
    let sources = if includes.is_empty() {
        management.storage.lookup(load).await?
    } else {
        management.storage.read(load).await?
    };
    Ok(Json(ListingDocument::new(&sources, &includes)))
}

refusals!(ListListingsRefusals = describe(pages()));

/// Lists your listings, the least recently changed first.
///
/// To read only what changed, send `updated_since`. Withdrawn listings are not listed.
#[utoipa::path(
    get,
    path = "/api/v1/listing",
    tag = "Listings",
    params(ListingFilter, Paging),
    responses(
        (status = 200, description = "A page of listings.", body = List<ListingResource>),
        ListListingsRefusals,
    ),
)]
pub(crate) async fn list_listings(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    uri: Uri,
) -> Result<Json<List<ListingResource>>, Problem> {
    let query = Query::parse(uri.query())?;
    let mut errors = Vec::new();
    let page = query.page(&mut errors);
    let updated_since = query.integer("updated_since", 0..=web::limits::INTEGER_MAX, &mut errors);
    let external_id = query.text("external_id", &mut errors);
    refuse_errors(errors)?;
    let actor = caller.actor().to_owned();
    let (total, listings) = management
        .storage
        .read(move |read| {
            let mut wanted = ListingPage {
                client_id: caller.actor(),
                updated_since,
                external_id: external_id.as_deref(),
                limit: page.limit(),
                offset: page.offset(),
            };
            let found = storage::listings::list_listings_of_client(read, &wanted)?;
            // Older stores have references as they were sent (S-96).
            let clean = external_id
                .as_deref()
                .and_then(|text| unicode::clean(text).ok());
            if found.0 > 0 || clean.as_deref() == external_id.as_deref() {
                return Ok::<_, StorageError>(found);
            }
            wanted.external_id = clean.as_deref().or(wanted.external_id);
            storage::listings::list_listings_of_client(read, &wanted)
        })
        .await?;
    management.owe(&actor, page.offset().min(total));
    Ok(page.answer(total, listings.iter().map(ListingResource::plain).collect()))
}

refusals!(
    CreateListingRefusals = describe(
        any_write(),
        wrong_member("branch_id", "is missing"),
        branch_and_property(),
        quotas(),
    )
);

/// Creates a listing, or updates the one with the same external id.
///
/// Send the property as `address`, or as the `address_id` of a property that Onward knows. An update
/// leaves everything unchanged that the body does not name.
#[utoipa::path(
    post,
    path = "/api/v1/listing",
    tag = "Listings",
    params(IdempotencyKey),
    request_body = NewListingBody,
    responses(
        (status = 201, description = "The listing is new.", body = Data<ListingResource>, headers(("location"))),
        (status = 200, description = "The listing existed and is updated.", body = Data<ListingResource>),
        CreateListingRefusals,
    ),
)]
pub(crate) async fn create_listing(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Written<Reply>, Problem> {
    let new = NewListing::read(request.fields()?)?;
    let allowance = Allowance::count(&management, new.branch).await?;
    request
        .write(&management, move |write, author| {
            let stored = listing_writes::store_listing(write, author, &new, &allowance)?;
            let id = stored.listing;
            if stored.is_new {
                let reply = show_stored(write, author, id, StatusCode::CREATED)?;
                Ok(reply.at(format!("/api/v1/listing/{id}")))
            } else {
                show_stored(write, author, id, StatusCode::OK)
            }
        })
        .await
}

refusals!(
    UpdateListingRefusals = describe(
        any_write(),
        wrong_member("is_locked", "must be true or false"),
        own_listing(),
        fixed_reference(),
    )
);

/// Changes attributes of one of your listings.
///
/// The call leaves everything unchanged that the body does not name. `null` clears an attribute that
/// may be unknown.
#[utoipa::path(
    patch,
    path = "/api/v1/listing/{listing}",
    tag = "Listings",
    params(ListingInPath, IdempotencyKey),
    request_body = ListingChangesBody,
    responses(
        (status = 200, description = "The updated listing.", body = Data<ListingResource>),
        UpdateListingRefusals,
    ),
)]
pub(crate) async fn update_listing(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Written<Reply>, Problem> {
    let id = request.segments.listing(0)?;
    let changes = ListingChanges::read(request.fields()?)?;
    request
        .write(&management, move |write, author| {
            listing_writes::update_listing(write, author, id, &changes)?;
            show_stored(write, author, id, StatusCode::OK)
        })
        .await
}

refusals!(WithdrawListingRefusals = describe(any_write(), own_listing(), unlinked()));

/// Withdraws one of your listings. It must have no links.
///
/// Its external id cannot be used again.
#[utoipa::path(
    delete,
    path = "/api/v1/listing/{listing}",
    tag = "Listings",
    params(ListingInPath, IdempotencyKey),
    responses(
        (status = 200, description = "Done.", body = SuccessAnswer),
        WithdrawListingRefusals,
    ),
)]
pub(crate) async fn withdraw_listing(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Written<Reply>, Problem> {
    let id = request.segments.listing(0)?;
    request.refuse_members()?;
    request
        .write(&management, move |write, author| {
            listing_writes::withdraw_listing(write, author, id)?;
            Reply::success()
        })
        .await
}

/// The answer with a listing after its change.
fn show_stored(
    write: &mut Write<'_>,
    author: &Author<'_>,
    id: ListingId,
    status: StatusCode,
) -> Result<Reply, Problem> {
    let listing = find_own_listing(write, author.caller, id)?;
    let data = ListingResource::own(&listing, false);
    Reply::json(status, &Data { data })
}

fn read_includes(query: &Query) -> Result<Vec<Include>, Refusal> {
    let text = query.find("includes").unwrap_or_default();
    Include::parse_list(text).map_err(unknown_include)
}
