//! The values that describe a listing, with their rules (S-52), and the bodies that have them.

pub(crate) mod described;

use chain::ids::{BranchId, PropertyId, Uprn};
use chain::limits::{EXTERNAL_ID_CHARACTERS_MAX, PRICE_MAX, UPRN_MAX};
use chain::listing::{Tenure, TransactionType};
use storage::properties::{ADDRESS_KEY_BYTES_MAX, Address};
use web::fields::Fields;
use web::problem::Problem;
use web::values::{check_id, check_integer, read_filled, read_optional, read_text};

/// A listing to create or to update.
#[derive(Debug, Clone)]
pub struct NewListing {
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
pub enum Place {
    /// The id of a known property.
    Known(PropertyId),
    /// The address of a property that may be new.
    Address(PlaceAddress),
}

/// An address, with the UPRN where the branch knows it.
#[derive(Debug, Clone)]
pub struct PlaceAddress {
    /// The address in the parts of document 1.
    pub address: Address,
    /// The UPRN of the property.
    pub uprn: Option<Uprn>,
}

/// The facts of a listing; `None` leaves a fact unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListingChanges {
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
    pub(crate) fn read(mut fields: Fields) -> Result<Self, Problem> {
        let place = read_place(&mut fields);
        let branch = fields.required_id("branch_id").map(BranchId);
        fields.require("price");
        let facts = read_changes(&mut fields);
        fields.finish()?;
        Self::of_parts(place, branch, facts)
    }

    /// Puts a listing together. A part that is missing had an error, which its reader reported.
    pub fn of_parts(
        place: Option<Place>,
        branch: Option<BranchId>,
        facts: ListingChanges,
    ) -> Result<Self, Problem> {
        let incomplete = || Problem::Internal("a listing was read incompletely".to_owned());
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
    pub(crate) fn read(mut fields: Fields) -> Result<Self, Problem> {
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

/// A price in pounds.
pub fn check_price(number: Option<i64>) -> Result<i64, String> {
    check_integer(number, 0..=PRICE_MAX)
}

/// A UPRN.
pub fn check_uprn(number: Option<i64>) -> Result<Option<Uprn>, String> {
    check_integer(number, 1..=UPRN_MAX).map(Uprn::new)
}

/// A branch's own reference.
pub fn read_external_id(text: &str) -> Result<String, String> {
    read_text(text, 1..=EXTERNAL_ID_CHARACTERS_MAX)
}

/// A tenure of document 1, or an empty text.
pub fn read_tenure(text: &str) -> Result<String, String> {
    let text = read_optional(text)?;
    if text.is_empty() || Tenure::parse(&text).is_some() {
        return Ok(text);
    }
    let known = Tenure::ALL.map(Tenure::as_str).join(", ");
    Err(format!("must be one of {known}"))
}

/// Transaction types of document 1, each once, separated by one space.
pub fn read_transaction_types<T: AsRef<str>>(texts: &[T]) -> Result<String, String> {
    let texts = texts.iter().map(|text| text.as_ref().trim());
    let mut words: Vec<&'static str> = Vec::new();
    for text in texts.filter(|text| !text.is_empty()) {
        let Some(kind) = TransactionType::parse(text) else {
            let known = TransactionType::ALL.map(TransactionType::as_str).join(", ");
            return Err(format!("must be of {known}"));
        };
        if !words.contains(&kind.as_str()) {
            words.push(kind.as_str());
        }
    }
    Ok(words.join(" "))
}

/// A full postcode with its space.
pub fn read_postcode(text: &str) -> Result<String, String> {
    let text = read_filled(text)?;
    let spaced = address::postcode_spaced(&text);
    spaced.ok_or_else(|| "must be a full UK postcode, such as LS1 4AP".to_owned())
}

/// An address of four lines, of which the last three may be empty, the post town and the postcode. The error
/// says that together they are too long to be found again.
pub fn join_address(
    street: [String; 4],
    post_town: String,
    postcode: String,
) -> Result<Address, String> {
    let parts = street.iter().chain([&post_town, &postcode]);
    let filled = parts.filter(|part| !part.is_empty());
    let display_address = filled.map(String::as_str).collect::<Vec<_>>().join(", ");
    if address::normalise(&display_address).len() > ADDRESS_KEY_BYTES_MAX {
        return Err(format!(
            "and the other lines must have at most {ADDRESS_KEY_BYTES_MAX} bytes together in UTF-8"
        ));
    }
    let [line1, line2, line3, line4] = street;
    Ok(Address {
        line1,
        line2,
        line3,
        line4,
        post_town,
        postcode,
        display_address,
    })
}

fn read_changes(fields: &mut Fields) -> ListingChanges {
    fields.refuse_null("is_locked");
    let mut changes = ListingChanges {
        price: fields.number_by("price", check_price),
        tenure: clearable(fields, "tenure", read_tenure),
        transaction_type: read_transaction_type(fields),
        is_locked: fields.boolean("is_locked"),
        external_id: fields.text_by("external_id", read_external_id),
        clears_external_id: fields.is_cleared("external_id"),
        ..ListingChanges::default()
    };
    if fields.is_cleared("parties") {
        changes.seller_conveyancer = Some(String::new());
        changes.buyer_conveyancer = Some(String::new());
    } else if let Some(mut parties) = fields.object("parties") {
        changes.seller_conveyancer = clearable(&mut parties, "sellerConveyancer", read_optional);
        changes.buyer_conveyancer = clearable(&mut parties, "buyerConveyancer", read_optional);
        fields.close(parties);
    }
    changes
}

/// A text that null clears.
fn clearable(
    fields: &mut Fields,
    name: &'static str,
    rule: impl FnOnce(&str) -> Result<String, String>,
) -> Option<String> {
    if fields.is_cleared(name) {
        return Some(String::new());
    }
    fields.text_by(name, rule)
}

fn read_transaction_type(fields: &mut Fields) -> Option<String> {
    let name = "transaction_type";
    if fields.is_cleared(name) {
        return Some(String::new());
    }
    let texts = fields.texts(name)?;
    fields.take(name, read_transaction_types(&texts))
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
        (true, false) => {
            let id = fields.number_by("address_id", check_id);
            id.map(PropertyId).map(Place::Known)
        }
        (false, true) => {
            let mut inner = fields.object("address")?;
            let address = read_address(&mut inner);
            let uprn = inner.number_by("uprn", check_uprn).flatten();
            fields.close(inner);
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
    let mut line = |name: &'static str| fields.text_by(name, read_optional).unwrap_or_default();
    let [line2, line3, line4] = ["line2", "line3", "line4"].map(&mut line);
    let postcode = fields.text_by("postcode", read_postcode);
    let address = join_address([line1?, line2, line3, line4], post_town?, postcode?);
    fields.take("line1", address)
}
