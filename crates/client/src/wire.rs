//! The documents of the chain query as they travel (document 1, "Resources and their fields").
//!
//! Unknown members are ignored, so that a newer service can be read. Numbers that the document
//! calls integers are refused when they are not.

use serde::Deserialize;

/// The signed `data` object: one page of chains.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct ChainPage {
    /// One chain for each value that matched, in the order asked (S-4).
    pub data: Vec<Chain>,
    /// Where this page lies in the result.
    pub pagination: Pagination,
}

/// What the look-up of an address answers.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(crate) struct AddressSuggestions {
    /// The most likely first.
    pub(crate) data: Vec<AddressSuggestion>,
}

/// A property that an address may mean.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct AddressSuggestion {
    /// Unique Property Reference Number.
    pub uprn: u64,
    /// The whole address in one line.
    pub display_address: String,
    /// How well it fits, 0 to 1.
    pub confidence: f64,
}

/// Where a page lies in the whole result.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Pagination {
    /// Values that matched, over all pages.
    pub total: u64,
    /// Chains on a full page, 1 to 100.
    pub per_page: u64,
    /// This page, counted from 1.
    pub current_page: u64,
    /// The last page that holds anything, at least 1 (S-4).
    pub last_page: u64,
}

/// The chain that one queried value lies in.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Chain {
    /// The address as sent, or the matched property's display address for a UPRN (S-5).
    pub queried_address: String,
    /// UUID of the chain.
    pub chain_id: String,
    /// Its shape and length.
    pub chain_summary: ChainSummary,
    /// Its properties from the bottom to the top (S-9).
    pub properties: Vec<Property>,
}

/// The shape and length of a chain.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct ChainSummary {
    /// The shape (S-8).
    pub chain_type: ChainType,
    /// Number of properties.
    pub chain_length: u64,
}

/// The shape of a chain (S-8).
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
pub enum ChainType {
    /// One buyer and one seller at each link.
    #[serde(rename = "IN_CHAIN")]
    InChain,
    /// It branches at one node at least.
    #[serde(rename = "SPLIT_CHAIN")]
    SplitChain,
    /// A property that stands alone.
    #[serde(rename = "NOT_IN_CHAIN")]
    NotInChain,
    /// A shape that this version does not know.
    #[serde(other)]
    Unknown,
}

/// One property of a chain.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Property {
    /// Internal id of the property record.
    pub id: u64,
    /// Unique Property Reference Number; at least 900 000 000 000 for a placeholder (S-12).
    pub uprn: u64,
    /// Its address.
    pub address: Address,
    /// `freehold`, `leasehold`, `commonhold`, `shareoffreehold`, or empty when unknown.
    pub tenure: String,
    /// Special circumstances of the sale, empty for a standard purchase.
    pub transaction_type: Vec<String>,
    /// The progress of its sale.
    pub milestones: Milestones,
    /// The organisations that act in its sale.
    pub participants: Participants,
    /// Confirmed: nothing further above it.
    pub is_top_closed: bool,
    /// Confirmed: nothing further below it.
    pub is_bottom_closed: bool,
    /// What it is linked to.
    pub connections: Connections,
}

/// The address of a property. Unknown lines are empty, or absent.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase", default)]
pub struct Address {
    /// First line.
    pub line1: String,
    /// Second line.
    pub line2: String,
    /// Third line.
    pub line3: String,
    /// Fourth line.
    pub line4: String,
    /// Post town.
    pub post_town: String,
    /// Postcode.
    pub postcode: String,
    /// The whole address on one line.
    pub display_address: String,
}

/// Names of the organisations that act in a sale; empty when unknown.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase", default)]
pub struct Participants {
    /// The estate agent that sells.
    pub selling_agent: String,
    /// The seller's conveyancer.
    pub seller_conveyancer: String,
    /// The buyer's conveyancer.
    pub buyer_conveyancer: String,
}

/// UPRNs of linked properties, to be matched against `properties[].uprn` of the same chain.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Connections {
    /// What this property's seller buys next: the properties above.
    pub onward_purchase: Vec<u64>,
    /// What this property's buyer sells: the properties below.
    pub buyers_sale: Vec<u64>,
}

/// The milestones of a sale. Dates are `YYYY-MM-DD` in Europe/London (S-11), or none.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Milestones {
    /// Property Listed.
    pub listed: Completed,
    /// SSTC.
    pub sold_subject_to_contract: Completed,
    /// The searches.
    pub searches: Searches,
    /// How the purchase is paid for.
    pub funding: Funding,
    /// Enquiries between the conveyancers.
    pub enquiries: Enquiries,
    /// Exchange of contracts.
    pub exchange_of_contracts: Expected,
    /// Completion.
    pub completion: Expected,
    /// Present only when the sale fell through.
    pub fall_through: Option<Completed>,
}

/// A milestone that is either reached or not.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct Completed {
    /// When it was reached.
    pub completed: Option<String>,
}

/// A milestone with a date proposed beforehand.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub struct Expected {
    /// The proposed date.
    pub expected: Option<String>,
    /// When it was reached.
    pub completed: Option<String>,
}

/// The searches.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Searches {
    /// Searches Ordered.
    pub started: Option<String>,
    /// LA Search Expected, and Search Delivered.
    pub local_authority: Expected,
    /// Environmental Search Delivered.
    pub environmental: Completed,
    /// Water Search Delivered.
    pub drainage_water: Completed,
}

/// How the purchase is paid for.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Funding {
    /// A Cash Buyer milestone was recorded.
    pub is_cash_buyer: bool,
    /// Mortgage Applied.
    pub started: Option<String>,
    /// Mortgage Offered.
    pub completed: Option<String>,
}

/// Enquiries between the conveyancers.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Enquiries {
    /// Enquiries Opened.
    pub started: Option<String>,
    /// Enquiries Closed.
    pub completed: Option<String>,
}

#[cfg(test)]
mod tests;
