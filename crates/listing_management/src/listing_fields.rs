//! Reads the bodies that describe a listing (S-52).

pub(crate) mod described;

use chain::ids::{BranchId, PropertyId, Uprn};
use chain::limits::EXTERNAL_ID_CHARACTERS_MAX;
use chain::listing::{Tenure, TransactionType};
use storage::properties::Address;
use web::fields::Fields;
use web::problem::Problem;

use super::write_request::WriteRequest;

/// A listing to create or to update.
#[derive(Debug, Clone)]
pub(crate) struct NewListing {
    /// The property that is sold.
    pub place: Place,
    /// The branch of the listing.
    pub branch: BranchId,
    /// In pounds.
    pub price: i64,
    /// The facts of the sale, with the price.
    pub facts: ListingChanges,
}

/// How a body names a property.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// The id of a known property.
    Known(PropertyId),
    /// The address of a property that may be new.
    Address(PlaceAddress),
}

/// An address, with the UPRN where the branch knows it.
#[derive(Debug, Clone)]
pub(crate) struct PlaceAddress {
    /// The address in the parts of document 1.
    pub address: Address,
    /// The UPRN of the property.
    pub uprn: Option<Uprn>,
}

/// The facts of a listing; `None` leaves a fact unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ListingChanges {
    /// In pounds.
    pub price: Option<i64>,
    /// A tenure of document 1; empty if unknown.
    pub tenure: Option<String>,
    /// Transaction types of document 1, separated by one space.
    pub transaction_type: Option<String>,
    /// Organisation name; empty if unknown.
    pub seller_conveyancer: Option<String>,
    /// Organisation name; empty if unknown.
    pub buyer_conveyancer: Option<String>,
    /// Whether links and checks of it are refused (S-53).
    pub is_locked: Option<bool>,
    /// The branch's own reference, which cannot be changed.
    pub external_id: Option<String>,
    /// Whether the body clears the branch's own reference.
    pub clears_external_id: bool,
}

impl NewListing {
    /// Reads the body of `POST /api/v1/listing`.
    pub(crate) fn read(request: &WriteRequest) -> Result<Self, Problem> {
        let mut fields = request.fields()?;
        let place = read_place(&mut fields);
        let branch = fields.required_id("branch_id").map(BranchId);
        fields.require("price");
        let facts = read_changes(&mut fields);
        fields.finish()?;
        let incomplete = || Problem::Internal("a body was read incompletely".to_owned());
        Ok(Self {
            place: place.ok_or_else(incomplete)?,
            branch: branch.ok_or_else(incomplete)?,
            price: facts.price.ok_or_else(incomplete)?,
            facts,
        })
    }
}

impl ListingChanges {
    /// Reads the body of `PATCH /api/v1/listing/{id}`.
    pub(crate) fn read(request: &WriteRequest) -> Result<Self, Problem> {
        let mut fields = request.fields()?;
        fields.refuse_null("price");
        let changes = read_changes(&mut fields);
        if changes == Self::default() && fields.is_right() {
            fields.refuse(
                "body",
                "says nothing: send at least one of price, tenure, transaction_type, parties, \
                 is_locked",
            );
        }
        fields.finish()?;
        Ok(changes)
    }
}

fn read_changes(fields: &mut Fields) -> ListingChanges {
    fields.refuse_null("is_locked");
    let mut changes = ListingChanges {
        price: fields.integer("price", 0..=chain::limits::PRICE_MAX),
        tenure: read_tenure(fields),
        transaction_type: read_transaction_type(fields),
        is_locked: fields.boolean("is_locked"),
        external_id: fields.bounded_text("external_id", 1, EXTERNAL_ID_CHARACTERS_MAX),
        clears_external_id: fields.is_cleared("external_id"),
        ..ListingChanges::default()
    };
    if fields.is_cleared("parties") {
        changes.seller_conveyancer = Some(String::new());
        changes.buyer_conveyancer = Some(String::new());
    } else if let Some(mut parties) = fields.object("parties") {
        changes.seller_conveyancer = read_optional_text(&mut parties, "sellerConveyancer");
        changes.buyer_conveyancer = read_optional_text(&mut parties, "buyerConveyancer");
        fields.close(parties);
    }
    changes
}

/// A text that null clears.
fn read_optional_text(fields: &mut Fields, name: &'static str) -> Option<String> {
    if fields.is_cleared(name) {
        return Some(String::new());
    }
    fields.text_or_empty(name)
}

fn read_tenure(fields: &mut Fields) -> Option<String> {
    let text = read_optional_text(fields, "tenure")?;
    if text.is_empty() || Tenure::parse(&text).is_some() {
        return Some(text);
    }
    let known = Tenure::ALL.map(Tenure::as_str).join(", ");
    fields.refuse("tenure", format!("must be one of {known}"));
    None
}

fn read_transaction_type(fields: &mut Fields) -> Option<String> {
    if fields.is_cleared("transaction_type") {
        return Some(String::new());
    }
    let texts = fields.texts("transaction_type")?;
    let texts = texts.iter().map(|text| text.trim());
    let mut words: Vec<&'static str> = Vec::new();
    for text in texts.filter(|text| !text.is_empty()) {
        let Some(kind) = TransactionType::parse(text) else {
            let known = TransactionType::ALL.map(TransactionType::as_str).join(", ");
            fields.refuse("transaction_type", format!("must be of {known}"));
            return None;
        };
        if !words.contains(&kind.as_str()) {
            words.push(kind.as_str());
        }
    }
    Some(words.join(" "))
}

fn read_place(fields: &mut Fields) -> Option<Place> {
    match (fields.has("address_id"), fields.has("address")) {
        (true, true) => {
            fields.refuse("address", "send either address_id or address, not both");
            None
        }
        (false, false) => {
            fields.refuse("address_id", "is missing: send address_id or address");
            None
        }
        (true, false) => fields.id("address_id").map(PropertyId).map(Place::Known),
        (false, true) => {
            let mut inner = fields.object("address")?;
            let address = read_address(&mut inner);
            let uprn = inner.integer("uprn", 1..=chain::limits::UPRN_MAX);
            fields.close(inner);
            let uprn = uprn.and_then(Uprn::new);
            address.map(|address| Place::Address(PlaceAddress { address, uprn }))
        }
    }
}

fn read_address(fields: &mut Fields) -> Option<Address> {
    for name in ["line1", "postTown", "postcode"] {
        fields.require(name);
    }
    let line1 = fields.text("line1");
    let post_town = fields.text("postTown");
    let mut line = |name: &'static str| fields.text_or_empty(name).unwrap_or_default();
    let [line2, line3, line4] = ["line2", "line3", "line4"].map(&mut line);
    let postcode = fields.text("postcode").and_then(|text| {
        let spaced = address::postcode_spaced(&text);
        if spaced.is_none() {
            fields.refuse("postcode", "must be a full UK postcode, such as LS1 4AP");
        }
        spaced
    });
    let (line1, post_town, postcode) = (line1?, post_town?, postcode?);
    let parts = [&line1, &line2, &line3, &line4, &post_town, &postcode];
    let filled = parts.into_iter().filter(|part| !part.is_empty());
    let display_address = filled.map(String::as_str).collect::<Vec<_>>().join(", ");
    Some(Address {
        line1,
        line2,
        line3,
        line4,
        post_town,
        postcode,
        display_address,
    })
}
