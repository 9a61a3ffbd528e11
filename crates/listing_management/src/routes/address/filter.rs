//! `POST {listing_base_url}/api/v1/address/filter`: finds properties by postcode or address.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use storage::properties;
use utoipa::openapi::schema::ObjectBuilder;
use web::described::{pages, wrong_member};
use web::list::List;
use web::parameters::Paging;
use web::problem::Problem;
use web::schema::text;
use web::{body, refusals};

use crate::ListingManagement;
use crate::current_listing;
use crate::openapi::{describe, keyed_body, told_quota};
use crate::wire::directory::{AddressPage, AddressResource};
use crate::write_request::WriteRequest;

refusals!(
    FilterAddressesRefusals = describe(
        keyed_body(),
        wrong_member("full_address", "is missing"),
        pages(),
        told_quota(),
    )
);

/// Lists the properties with a given postcode or full address.
///
/// Without a match the list is empty. If the address means one home, `current_listing` is the listing to
/// link to, whoever sells it. A branch gets at most 200 such answers a day, and each is in the access log.
#[utoipa::path(
    post,
    path = "/api/v1/address/filter",
    tag = "Addresses and branches",
    params(Paging),
    request_body = AddressFilterBody,
    responses(
        (status = 200, description = "A page of properties.", body = AddressPage),
        FilterAddressesRefusals,
    ),
)]
pub(crate) async fn filter_addresses(
    State(management): State<Arc<ListingManagement>>,
    request: WriteRequest,
) -> Result<Json<AddressPage>, Problem> {
    let page = request.query()?.only_page()?;
    let mut fields = request.fields()?;
    fields.require("full_address");
    let text = fields.sought_text("full_address").unwrap_or_default();
    fields.finish()?;
    let sought = text.clone();
    let (total, found) = management
        .storage
        .read(move |read| {
            let (limit, offset) = (page.limit(), page.offset());
            if let Some(postcode) = address::postcode(&sought) {
                return properties::list_properties_by_postcode(read, &postcode, limit, offset);
            }
            let key = address::normalise(&sought);
            properties::list_properties_by_address(read, &key, limit, offset)
        })
        .await?;
    let current_listing = current_listing::tell(&management, &request.caller, text).await?;
    let found = found.into_iter().map(AddressResource::from);
    let Json(List { data, meta }) = page.answer(total, found.collect());
    Ok(Json(AddressPage {
        data,
        meta,
        current_listing,
    }))
}

body!(AddressFilterBody = address_filter_body());

/// The body that `filter_addresses` parses.
fn address_filter_body() -> ObjectBuilder {
    let full_address =
        text(chain::limits::TEXT_CHARACTERS_MAX).description(Some("A full address or a postcode."));
    ObjectBuilder::new()
        .property("full_address", full_address)
        .required("full_address")
}
