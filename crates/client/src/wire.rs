//! The answers of the chain query (document 1, "Resources and their fields").
//!
//! Unknown members are ignored, so that this version can read the answers of a newer service. A
//! fraction is refused where document 1 has an integer.

use serde::Deserialize;

use crate::printable;

/// The signed `data` object: one page of chains.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct ChainPage {
    /// The time of which the answer gives the state, RFC 3339; `None`: the present state (S-60).
    #[serde(rename = "asOf", default)]
    pub as_of: Option<String>,
    /// One chain for each value that matched, in the order asked (S-4).
    pub data: Vec<Chain>,
    /// The page's place in the result.
    pub pagination: Pagination,
}

/// The signed `data` object of one kept version of a chain (S-60).
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct KeptVersion {
    /// When the version was recorded, RFC 3339.
    pub as_of: String,
    /// The chain as it was.
    pub chain: KeptChain,
    /// The number of the version.
    pub version: u64,
}

/// A chain as it was. The last version of a chain that is gone has no summary.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct KeptChain {
    /// The chain's id, a UUID.
    pub chain_id: String,
    /// The chain's shape and length. `None`: it has no sales any more.
    pub chain_summary: Option<ChainSummary>,
    /// The id of the chain into which all sales moved, if they moved.
    pub dissolved_into: Option<String>,
    /// The chain's properties from the bottom to the top.
    #[serde(default)]
    pub properties: Vec<Property>,
}

/// The members of an answer that are not signed.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Unsigned {
    #[serde(default)]
    pub(crate) explanation: Vec<ValueExplanation>,
}

/// Why a value of a query led to a chain or to none (S-58).
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct ValueExplanation {
    /// The value as it was sent.
    pub value: String,
    /// The UPRN of the property that the value means, if the value led to a chain.
    pub uprn: Option<u64>,
    /// How well the property fits, from 0 to 1, if the value led to a chain.
    pub confidence: Option<f64>,
    /// `matched`, `unknown`, `ambiguous`, `incomplete` or `not_listed`; a newer service may have others.
    pub reason: String,
}

impl ValueExplanation {
    /// One line for a value that led to no chain, safe for a terminal. `None` if it led to one.
    pub fn describe_miss(&self) -> Option<String> {
        let why = match self.reason.as_str() {
            "matched" => return None,
            "unknown" => "no known property fits".to_owned(),
            "ambiguous" => "several properties fit equally well".to_owned(),
            "incomplete" => "it says too little to be certain of one property".to_owned(),
            "not_listed" => "it is not on sale".to_owned(),
            other => printable(other),
        };
        Some(format!("no chain for {}: {why}", printable(&self.value)))
    }
}

/// The answer of the address search.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(crate) struct AddressSuggestions {
    /// The most likely first.
    pub(crate) data: Vec<AddressSuggestion>,
}

/// A property that an address may mean.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct AddressSuggestion {
    /// The Unique Property Reference Number.
    pub uprn: u64,
    /// The address in one line.
    pub display_address: String,
    /// The quality of the match, 0 to 1.
    pub confidence: f64,
}

/// A page of listings, of which only the count is read.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(crate) struct ListingCount {
    pub(crate) meta: ListMeta,
}

/// `meta` of a page of listings.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(crate) struct ListMeta {
    pub(crate) pagination: ListTotal,
}

/// The count of a list.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(crate) struct ListTotal {
    pub(crate) total: u64,
}

/// The place of a page in the result.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Pagination {
    /// The number of values that matched, over all pages.
    pub total: u64,
    /// The number of chains on a full page, 1 to 100.
    pub per_page: u64,
    /// The number of this page, counted from 1.
    pub current_page: u64,
    /// The number of the last page, at least 1 (S-4).
    pub last_page: u64,
}

/// The chain of one queried value.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Chain {
    /// The queried address, or the property's display address if the query was by UPRN (S-5).
    pub queried_address: String,
    /// The chain's id, a UUID.
    pub chain_id: String,
    /// The chain's shape and length.
    pub chain_summary: ChainSummary,
    /// The chain's properties from the bottom to the top (S-9).
    pub properties: Vec<Property>,
}

/// The shape and length of a chain.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct ChainSummary {
    /// The chain's shape.
    pub chain_type: ChainType,
    /// The number of properties.
    pub chain_length: u64,
}

/// The shape of a chain (S-8).
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
pub enum ChainType {
    /// Each property has at most one onward purchase and one buyer's sale.
    #[serde(rename = "IN_CHAIN")]
    InChain,
    /// At least one property has several onward purchases or several buyers' sales.
    #[serde(rename = "SPLIT_CHAIN")]
    SplitChain,
    /// The property has no links.
    #[serde(rename = "NOT_IN_CHAIN")]
    NotInChain,
    /// A shape that this version does not know.
    #[serde(other)]
    Unknown,
}

impl ChainType {
    /// The shape in a few words.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::InChain => "straight chain",
            Self::SplitChain => "split chain",
            Self::NotInChain => "not in a chain",
            Self::Unknown => "chain of an unknown shape",
        }
    }
}

/// One property of a chain.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Property {
    /// The service's id of the property.
    pub id: u64,
    /// The Unique Property Reference Number. Placeholders begin at 900,000,000,000 (S-12).
    pub uprn: u64,
    /// The property's address.
    pub address: Address,
    /// `freehold`, `leasehold`, `commonhold`, `shareoffreehold`, or empty when unknown.
    pub tenure: String,
    /// The special circumstances of the sale, empty for a standard purchase.
    pub transaction_type: Vec<String>,
    /// The progress of its sale.
    pub milestones: Milestones,
    /// The organisations that act in its sale.
    pub participants: Participants,
    /// True if somebody confirmed that no property follows above.
    pub is_top_closed: bool,
    /// True if somebody confirmed that no property follows below.
    pub is_bottom_closed: bool,
    /// The properties to which it is linked.
    pub connections: Connections,
}

/// The address of a property. Unknown lines are empty or absent.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase", default)]
pub struct Address {
    /// The first line.
    pub line1: String,
    /// The second line.
    pub line2: String,
    /// The third line.
    pub line3: String,
    /// The fourth line.
    pub line4: String,
    /// The post town.
    pub post_town: String,
    /// The postcode.
    pub postcode: String,
    /// The address in one line.
    pub display_address: String,
}

/// The names of the organisations that act in a sale, each empty if unknown.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase", default)]
pub struct Participants {
    /// The seller's estate agent.
    pub selling_agent: String,
    /// The seller's conveyancer.
    pub seller_conveyancer: String,
    /// The buyer's conveyancer.
    pub buyer_conveyancer: String,
}

/// The UPRNs of linked properties, which are in `properties[].uprn` of the same chain.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Connections {
    /// The properties above, which this property's seller buys.
    pub onward_purchase: Vec<u64>,
    /// The properties below, which this property's buyer sells.
    pub buyers_sale: Vec<u64>,
}

/// The milestones of a sale. Dates are `YYYY-MM-DD` in Europe/London (S-11), or absent.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Milestones {
    /// Property Listed.
    pub listed: Completed,
    /// SSTC.
    pub sold_subject_to_contract: Completed,
    /// The searches.
    pub searches: Searches,
    /// The funding of the purchase.
    pub funding: Funding,
    /// The enquiries between the conveyancers.
    pub enquiries: Enquiries,
    /// The exchange of contracts.
    pub exchange_of_contracts: Expected,
    /// Completion.
    pub completion: Expected,
    /// The fall through, if the sale fell through.
    pub fall_through: Option<Completed>,
}

/// A milestone without a proposed date.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct Completed {
    /// The date on which it was reached.
    pub completed: Option<String>,
}

/// A milestone with a proposed date.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct Expected {
    /// The proposed date.
    pub expected: Option<String>,
    /// The date on which it was reached.
    pub completed: Option<String>,
}

/// The searches for the buyer.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Searches {
    /// Searches Ordered.
    pub started: Option<String>,
    /// LA Search Expected and Search Delivered.
    pub local_authority: Expected,
    /// Environmental Search Delivered.
    pub environmental: Completed,
    /// Water Search Delivered.
    pub drainage_water: Completed,
}

/// The funding of the purchase.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Funding {
    /// True if the milestone Cash Buyer was recorded.
    pub is_cash_buyer: bool,
    /// Mortgage Applied.
    pub started: Option<String>,
    /// Mortgage Offered.
    pub completed: Option<String>,
}

/// The enquiries between the conveyancers.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Enquiries {
    /// Enquiries Opened.
    pub started: Option<String>,
    /// Enquiries Closed.
    pub completed: Option<String>,
}

#[cfg(test)]
mod tests;
