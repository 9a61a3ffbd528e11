//! The bodies that describe a listing (S-52).

pub mod described;

use chain::ids::{BranchId, PropertyId, Uprn};
use chain::listing::{Tenure, TransactionType};
use storage::properties::Address;

use super::fields::Fields;
use super::recording::WriteRequest;
use crate::problem::Problem;

/// A listing to be created, or to be brought up to date.
#[derive(Debug, Clone)]
pub struct NewListing {
    /// What is sold.
    pub place: Place,
    /// Whose it is.
    pub branch: BranchId,
    /// In pounds.
    pub price: i64,
    /// All that is said of the sale, the price too.
    pub said: ListingChanges,
}

/// How a body names a property.
#[derive(Debug, Clone)]
pub enum Place {
    /// By its id.
    Known(PropertyId),
    /// By its address.
    Address(PlaceAddress),
}

/// An address, with the UPRN where the branch knows it.
#[derive(Debug, Clone)]
pub struct PlaceAddress {
    /// In document 1's parts.
    pub address: Address,
    /// Its number.
    pub uprn: Option<Uprn>,
}

/// What can be said of a listing; what is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListingChanges {
    /// In pounds.
    pub price: Option<i64>,
    /// Document 1's word; empty if unknown.
    pub tenure: Option<String>,
    /// Document 1's words, separated by one space.
    pub transaction_type: Option<String>,
    /// Organisation name; empty if unknown.
    pub seller_conveyancer: Option<String>,
    /// Organisation name; empty if unknown.
    pub buyer_conveyancer: Option<String>,
    /// S-53.
    pub is_locked: Option<bool>,
    /// The branch's own reference, which never changes.
    pub external_id: Option<String>,
}

impl NewListing {
    /// Reads the body of `POST /api/v1/listing`.
    pub fn read(request: &WriteRequest) -> Result<Self, Problem> {
        let mut fields = request.fields()?;
        let place = read_place(&mut fields);
        let branch = fields.required_id("branch_id").map(BranchId);
        fields.require("price");
        let said = read_changes(&mut fields);
        fields.finish()?;
        let incomplete = || Problem::Internal("a body was read incompletely".to_owned());
        Ok(Self {
            place: place.ok_or_else(incomplete)?,
            branch: branch.ok_or_else(incomplete)?,
            price: said.price.ok_or_else(incomplete)?,
            said,
        })
    }
}

impl ListingChanges {
    /// Reads the body of `PATCH /api/v1/listing/{id}`.
    pub fn read(request: &WriteRequest) -> Result<Self, Problem> {
        let mut fields = request.fields()?;
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
    let mut changes = ListingChanges {
        price: fields.integer("price", 0..=chain::limits::PRICE_MAX),
        tenure: read_tenure(fields),
        transaction_type: read_transaction_type(fields),
        is_locked: fields.boolean("is_locked"),
        external_id: read_external_id(fields),
        ..ListingChanges::default()
    };
    if let Some(mut parties) = fields.object("parties") {
        changes.seller_conveyancer = parties.text_or_empty("sellerConveyancer");
        changes.buyer_conveyancer = parties.text_or_empty("buyerConveyancer");
        fields.close(parties);
    }
    changes
}

fn read_external_id(fields: &mut Fields) -> Option<String> {
    let text = fields.text("external_id")?;
    if text.chars().count() <= chain::limits::EXTERNAL_ID_CHARACTERS_MAX {
        return Some(text);
    }
    let detail = format!(
        "must have at most {} characters",
        chain::limits::EXTERNAL_ID_CHARACTERS_MAX
    );
    fields.refuse("external_id", detail);
    None
}

fn read_tenure(fields: &mut Fields) -> Option<String> {
    let text = fields.text_or_empty("tenure")?;
    if text.is_empty() || Tenure::parse(&text).is_some() {
        return Some(text);
    }
    let known = Tenure::ALL.map(Tenure::as_str).join(", ");
    fields.refuse("tenure", format!("must be one of {known}"));
    None
}

fn read_transaction_type(fields: &mut Fields) -> Option<String> {
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
    let mut line = |name: &str| fields.text_or_empty(name).unwrap_or_default();
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
