//! The members of document 1's answer. Fields stand in canonical order (RFC
//! 8785), so that plain serialisation gives the bytes that are signed.

use chain::listing::{Tenure, TransactionType};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::{Array, ArrayBuilder, Object};

use crate::openapi::schema::one_of_texts;

/// The chain that a queried value led to, without the address asked for.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ChainDocument<'a> {
    /// Id of the chain; the same in every answer as long as the chain holds.
    #[schema(format = "uuid")]
    #[serde(rename = "chainId")]
    pub(super) chain_id: String,
    #[serde(rename = "chainSummary")]
    pub(super) summary: Summary,
    /// All properties of the chain, from its bottom to its top.
    #[schema(min_items = 1)]
    pub(super) properties: Vec<Property<'a>>,
}

/// The chain in short.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChainSummary)]
pub(super) struct Summary {
    /// Number of properties.
    #[serde(rename = "chainLength")]
    #[schema(minimum = 1)]
    pub(super) length: usize,
    #[serde(rename = "chainType")]
    pub(super) kind: Kind,
}

/// `SPLIT_CHAIN`: somewhere one sale pays for two or more purchases, or the
/// other way round. `NOT_IN_CHAIN`: one property alone.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChainType)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(clippy::enum_variant_names, reason = "document 1's values")]
pub(super) enum Kind {
    InChain,
    SplitChain,
    NotInChain,
}

/// A property of the chain, as its current listing shows it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Property<'a> {
    pub(super) address: Address<'a>,
    pub(super) connections: Connections,
    /// Internal id of the property.
    pub(super) id: i64,
    /// Whether it is confirmed that nothing lies below this property.
    #[serde(rename = "isBottomClosed")]
    pub(super) is_bottom_closed: bool,
    /// Whether it is confirmed that nothing lies above this property.
    #[serde(rename = "isTopClosed")]
    pub(super) is_top_closed: bool,
    pub(super) milestones: Milestones,
    pub(super) participants: Participants<'a>,
    /// The tenure; empty when unknown.
    #[schema(schema_with = tenure)]
    pub(super) tenure: &'a str,
    /// What makes the sale other than a standard purchase.
    #[serde(rename = "transactionType")]
    #[schema(schema_with = transaction_types)]
    pub(super) transaction_type: Vec<&'static str>,
    /// Unique Property Reference Number. From 900000000000 on it is a
    /// placeholder, for a property that has none yet.
    #[schema(minimum = 1, maximum = 999_999_999_999_isize)]
    pub(super) uprn: i64,
}

/// A postal address. Lines that are unknown are empty.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_field_names, reason = "document 1's name")]
pub(super) struct Address<'a> {
    /// The whole address on one line.
    #[serde(rename = "displayAddress")]
    pub(super) display_address: &'a str,
    pub(super) line1: &'a str,
    pub(super) line2: &'a str,
    pub(super) line3: &'a str,
    pub(super) line4: &'a str,
    #[serde(rename = "postTown")]
    pub(super) post_town: &'a str,
    pub(super) postcode: &'a str,
}

/// The neighbours in the chain, by the `uprn` of `properties[]`.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Connections {
    /// What this property's buyer is selling.
    #[serde(rename = "buyersSale")]
    pub(super) buyers_sale: Vec<i64>,
    /// What this property's seller is buying next.
    #[serde(rename = "onwardPurchase")]
    pub(super) onward_purchase: Vec<i64>,
}

/// Names of organisations; empty when unknown.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Participants<'a> {
    #[serde(rename = "buyerConveyancer")]
    pub(super) buyer_conveyancer: &'a str,
    #[serde(rename = "sellerConveyancer")]
    pub(super) seller_conveyancer: &'a str,
    #[serde(rename = "sellingAgent")]
    pub(super) selling_agent: &'a str,
}

/// How far the sale is. A date is null until it is recorded.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Milestones {
    pub(super) completion: ExpectedAndCompleted,
    pub(super) enquiries: StartedAndCompleted,
    #[serde(rename = "exchangeOfContracts")]
    pub(super) exchange_of_contracts: ExpectedAndCompleted,
    /// Only there when the sale has fallen through.
    #[schema(nullable = false)]
    #[serde(rename = "fallThrough", skip_serializing_if = "Option::is_none")]
    pub(super) fall_through: Option<Completed>,
    pub(super) funding: Funding,
    pub(super) listed: Completed,
    pub(super) searches: Searches,
    #[serde(rename = "soldSubjectToContract")]
    pub(super) sold_subject_to_contract: Completed,
}

/// A step with one date.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Completed {
    #[schema(required, format = Date)]
    pub(super) completed: Option<String>,
}

/// A step with the day on which it is expected.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ExpectedAndCompleted {
    #[schema(required, format = Date)]
    pub(super) completed: Option<String>,
    #[schema(required, format = Date)]
    pub(super) expected: Option<String>,
}

/// A step with a beginning and an end.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StartedAndCompleted {
    #[schema(required, format = Date)]
    pub(super) completed: Option<String>,
    #[schema(required, format = Date)]
    pub(super) started: Option<String>,
}

/// The buyer's money: a mortgage applied for and offered, or cash.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Funding {
    #[schema(required, format = Date)]
    pub(super) completed: Option<String>,
    /// Whether the buyer pays in cash.
    #[serde(rename = "isCashBuyer")]
    pub(super) is_cash_buyer: bool,
    #[schema(required, format = Date)]
    pub(super) started: Option<String>,
}

/// The searches that the buyer's conveyancer ordered.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Searches {
    #[serde(rename = "drainageWater")]
    pub(super) drainage_water: Completed,
    pub(super) environmental: Completed,
    #[serde(rename = "localAuthority")]
    pub(super) local_authority: ExpectedAndCompleted,
    #[schema(required, format = Date)]
    pub(super) started: Option<String>,
}

/// Which part of the matched values this page holds.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Pagination {
    #[serde(rename = "currentPage")]
    #[schema(minimum = 1)]
    pub(super) current_page: u64,
    /// At least 1, also when there is nothing.
    #[serde(rename = "lastPage")]
    #[schema(minimum = 1)]
    pub(super) last_page: u64,
    #[serde(rename = "perPage")]
    #[schema(minimum = 1)]
    pub(super) per_page: u64,
    /// Number of values that matched.
    pub(super) total: u64,
}

fn tenure() -> Object {
    let known = Tenure::ALL.into_iter().map(Tenure::as_str);
    one_of_texts(known.chain([""]))
        .description(Some("The tenure; empty when unknown."))
        .build()
}

fn transaction_types() -> Array {
    let known = TransactionType::ALL
        .into_iter()
        .map(TransactionType::as_str);
    ArrayBuilder::new()
        .items(one_of_texts(known))
        .description(Some(
            "What makes the sale other than a standard purchase; empty for one.",
        ))
        .build()
}
