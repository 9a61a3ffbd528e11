//! The members of document 1's answer. Fields are in canonical order (RFC 8785), so that plain
//! serialisation produces the bytes that are signed.

use chain::listing::{Tenure, TransactionType};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::{Array, ArrayBuilder, Object};
use web::schema::one_of_texts;

/// A chain as rendered before `queriedAddress` is added.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ChainDocument<'a> {
    /// Id of the chain. It stays the same until a link is added or removed.
    #[schema(format = "uuid")]
    #[serde(rename = "chainId")]
    pub chain_id: String,
    #[serde(rename = "chainSummary")]
    pub summary: Summary,
    /// All properties of the chain, from bottom to top.
    #[schema(min_items = 1)]
    pub properties: Vec<Property<'a>>,
}

/// Length and type of the chain.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChainSummary)]
pub(super) struct Summary {
    /// Number of properties.
    #[serde(rename = "chainLength")]
    #[schema(minimum = 1)]
    pub length: usize,
    #[serde(rename = "chainType")]
    pub kind: Kind,
}

/// `IN_CHAIN`: every property has at most one neighbour on each side. `SPLIT_CHAIN`: one sale
/// funds several purchases, or several sales fund one purchase. `NOT_IN_CHAIN`: a single property.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChainType)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(clippy::enum_variant_names, reason = "document 1's values")]
pub(super) enum Kind {
    InChain,
    SplitChain,
    NotInChain,
}

/// A property of the chain, with the data of its current listing.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Property<'a> {
    pub address: Address<'a>,
    pub connections: Connections,
    /// Internal id of the property.
    pub id: i64,
    /// Whether it is confirmed that the chain ends below this property.
    #[serde(rename = "isBottomClosed")]
    pub is_bottom_closed: bool,
    /// Whether it is confirmed that the chain ends above this property.
    #[serde(rename = "isTopClosed")]
    pub is_top_closed: bool,
    pub milestones: Milestones,
    pub participants: Participants<'a>,
    /// The tenure. Empty if unknown.
    #[schema(schema_with = tenure)]
    pub tenure: &'a str,
    /// How the sale differs from a standard purchase. Empty for a standard purchase.
    #[serde(rename = "transactionType")]
    #[schema(schema_with = transaction_types)]
    pub transaction_type: Vec<&'static str>,
    /// Unique Property Reference Number (UPRN). Numbers from 900000000000 are placeholders
    /// for properties without a UPRN.
    #[schema(minimum = 1, maximum = 999_999_999_999_isize)]
    pub uprn: i64,
}

/// A postal address. Unknown lines are empty.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_field_names, reason = "document 1's name")]
pub(super) struct Address<'a> {
    /// The complete address on one line.
    #[serde(rename = "displayAddress")]
    pub display_address: &'a str,
    pub line1: &'a str,
    pub line2: &'a str,
    pub line3: &'a str,
    pub line4: &'a str,
    #[serde(rename = "postTown")]
    pub post_town: &'a str,
    pub postcode: &'a str,
}

/// The neighbours in the chain, each named by its `uprn` in `properties`.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Connections {
    /// The properties that this property's buyer is selling.
    #[serde(rename = "buyersSale")]
    pub buyers_sale: Vec<i64>,
    /// The properties that this property's seller is buying.
    #[serde(rename = "onwardPurchase")]
    pub onward_purchase: Vec<i64>,
}

/// Names of the organisations that work on the sale. An unknown name is empty.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Participants<'a> {
    #[serde(rename = "buyerConveyancer")]
    pub buyer_conveyancer: &'a str,
    #[serde(rename = "sellerConveyancer")]
    pub seller_conveyancer: &'a str,
    #[serde(rename = "sellingAgent")]
    pub selling_agent: &'a str,
}

/// The progress of the sale. A date is null until it is recorded.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Milestones {
    pub completion: ExpectedAndCompleted,
    pub enquiries: StartedAndCompleted,
    #[serde(rename = "exchangeOfContracts")]
    pub exchange_of_contracts: ExpectedAndCompleted,
    /// Present only if the sale has fallen through.
    #[schema(nullable = false)]
    #[serde(rename = "fallThrough", skip_serializing_if = "Option::is_none")]
    pub fall_through: Option<Completed>,
    pub funding: Funding,
    pub listed: Completed,
    pub searches: Searches,
    #[serde(rename = "soldSubjectToContract")]
    pub sold_subject_to_contract: Completed,
}

/// A step that has only a completion date.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Completed {
    #[schema(required, format = Date)]
    pub completed: Option<String>,
}

/// A step that has an expected date and a completion date.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ExpectedAndCompleted {
    #[schema(required, format = Date)]
    pub completed: Option<String>,
    #[schema(required, format = Date)]
    pub expected: Option<String>,
}

/// A step that has a start date and a completion date.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StartedAndCompleted {
    #[schema(required, format = Date)]
    pub completed: Option<String>,
    #[schema(required, format = Date)]
    pub started: Option<String>,
}

/// The buyer's funding: a mortgage with the dates of application and offer, or cash.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Funding {
    #[schema(required, format = Date)]
    pub completed: Option<String>,
    /// Whether the buyer pays in cash.
    #[serde(rename = "isCashBuyer")]
    pub is_cash_buyer: bool,
    #[schema(required, format = Date)]
    pub started: Option<String>,
}

/// The searches that the buyer's conveyancer ordered.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Searches {
    #[serde(rename = "drainageWater")]
    pub drainage_water: Completed,
    pub environmental: Completed,
    #[serde(rename = "localAuthority")]
    pub local_authority: ExpectedAndCompleted,
    #[schema(required, format = Date)]
    pub started: Option<String>,
}

/// The position of this page among all pages.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Pagination {
    #[serde(rename = "currentPage")]
    #[schema(minimum = 1)]
    pub current_page: u64,
    /// The number of the last page. It is 1 if nothing matched.
    #[serde(rename = "lastPage")]
    #[schema(minimum = 1)]
    pub last_page: u64,
    #[serde(rename = "perPage")]
    #[schema(minimum = 1)]
    pub per_page: u64,
    /// The number of values that matched.
    pub total: u64,
}

fn tenure() -> Object {
    let known = Tenure::ALL.into_iter().map(Tenure::as_str);
    one_of_texts(known.chain([""]))
        .description(Some("The tenure. Empty if unknown."))
        .build()
}

fn transaction_types() -> Array {
    let known = TransactionType::ALL
        .into_iter()
        .map(TransactionType::as_str);
    ArrayBuilder::new()
        .items(one_of_texts(known))
        .description(Some(
            "How the sale differs from a standard purchase. Empty for a standard purchase.",
        ))
        .build()
}
