//! The schemas of the bodies that describe a listing.

use chain::listing::{Tenure, TransactionType};
use utoipa::openapi::schema::{ArrayBuilder, Object, ObjectBuilder, Schema};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};
use web::body;
use web::schema::{exactly_one_of, flag, id, integer, one_of_texts, positive, text, text_or_empty};

/// The schema of the body that [`super::NewListing::read`] reads.
pub(crate) struct NewListingBody;

impl ToSchema for NewListingBody {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((AddressBody::name().into_owned(), AddressBody::schema()));
    }
}

impl PartialSchema for NewListingBody {
    fn schema() -> RefOr<Schema> {
        let address = Ref::from_schema_name(AddressBody::name());
        let address_id = id().description(Some(
            "The id of the property. Send this or `address`, not both.",
        ));
        let branch_id = id().description(Some("One of your branches."));
        let members = add_changes(ObjectBuilder::new())
            .property("address_id", address_id)
            .property("address", address)
            .property("branch_id", branch_id)
            .required("branch_id")
            .required("price");
        exactly_one_of(["address_id", "address"], members)
    }
}

body!(ListingChangesBody = listing_changes_body());

/// The schema of the body that [`super::ListingChanges::read`] reads.
fn listing_changes_body() -> ObjectBuilder {
    let members = add_changes(ObjectBuilder::new());
    let text = "At least one of them. What is left out stays as it is.";
    members.description(Some(text))
}

body!(AddressBody = address_body());

/// The schema of the address that `read_address` reads.
fn address_body() -> ObjectBuilder {
    let line = || text_or_empty(chain::limits::TEXT_CHARACTERS_MAX);
    let postcode = text(chain::limits::TEXT_CHARACTERS_MAX)
        .description(Some("A full UK postcode, such as `LS1 4AP`."));
    let uprn = positive(chain::limits::UPRN_MAX).description(Some(
        "Unique Property Reference Number. A property that is known by it keeps its address; \
         if an import has confirmed that address, yours must mean the same premises. Leave it \
         out when you do not know it: then the one property that this address certainly means \
         is sold, or a new one with a number as a placeholder.",
    ));
    ObjectBuilder::new()
        .description(Some(
            "The address of the property. Send this or `address_id`.",
        ))
        .property("line1", text(chain::limits::TEXT_CHARACTERS_MAX))
        .property("line2", line())
        .property("line3", line())
        .property("line4", line())
        .property("postTown", text(chain::limits::TEXT_CHARACTERS_MAX))
        .property("postcode", postcode)
        .property("uprn", uprn)
        .required("line1")
        .required("postTown")
        .required("postcode")
}

/// Adds the members of both bodies, which `read_changes` reads.
fn add_changes(members: ObjectBuilder) -> ObjectBuilder {
    let price = integer(0, chain::limits::PRICE_MAX.unsigned_abs()).description(Some("In pounds."));
    let tenures = Tenure::ALL.into_iter().map(Tenure::as_str);
    let tenure = one_of_texts(tenures.chain([""])).description(Some("Empty when unknown."));
    let external_id = text(chain::limits::EXTERNAL_ID_CHARACTERS_MAX).description(Some(
        "Your own reference, one for each listing of a branch. It cannot be changed later.",
    ));
    let is_locked = flag().description(Some(
        "Whether links and checks of this listing are refused until it is unlocked.",
    ));
    members
        .property("price", price)
        .property("tenure", tenure)
        .property("transaction_type", transaction_type())
        .property("parties", parties())
        .property("is_locked", is_locked)
        .property("external_id", external_id)
}

fn transaction_type() -> ArrayBuilder {
    ArrayBuilder::new()
        .items(one_of_texts(
            TransactionType::ALL.map(TransactionType::as_str),
        ))
        .description(Some(
            "The ways in which the sale differs from a standard purchase. A single word without an \
             array works as well.",
        ))
}

fn parties() -> Object {
    let name = || text_or_empty(chain::limits::TEXT_CHARACTERS_MAX);
    ObjectBuilder::new()
        .description(Some("Names of organisations; empty when unknown."))
        .property("sellerConveyancer", name())
        .property("buyerConveyancer", name())
        .build()
}
