//! The members of document 1's answer. Fields stand in canonical order (RFC
//! 8785), so that plain serialisation gives the bytes that are signed.

use serde::Serialize;

/// One chain, without the address that was asked for.
#[derive(Debug, Serialize)]
pub(super) struct ChainDocument<'a> {
    #[serde(rename = "chainId")]
    pub(super) chain_id: String,
    #[serde(rename = "chainSummary")]
    pub(super) summary: Summary,
    pub(super) properties: Vec<Property<'a>>,
}

#[derive(Debug, Serialize)]
pub(super) struct Summary {
    #[serde(rename = "chainLength")]
    pub(super) length: usize,
    #[serde(rename = "chainType")]
    pub(super) kind: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct Property<'a> {
    pub(super) address: Address<'a>,
    pub(super) connections: Connections,
    pub(super) id: i64,
    #[serde(rename = "isBottomClosed")]
    pub(super) is_bottom_closed: bool,
    #[serde(rename = "isTopClosed")]
    pub(super) is_top_closed: bool,
    pub(super) milestones: Milestones,
    pub(super) participants: Participants<'a>,
    pub(super) tenure: &'a str,
    #[serde(rename = "transactionType")]
    pub(super) transaction_type: Vec<&'static str>,
    pub(super) uprn: i64,
}

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "document 1's name")]
pub(super) struct Address<'a> {
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

#[derive(Debug, Serialize)]
pub(super) struct Connections {
    #[serde(rename = "buyersSale")]
    pub(super) buyers_sale: Vec<i64>,
    #[serde(rename = "onwardPurchase")]
    pub(super) onward_purchase: Vec<i64>,
}

#[derive(Debug, Serialize)]
pub(super) struct Participants<'a> {
    #[serde(rename = "buyerConveyancer")]
    pub(super) buyer_conveyancer: &'a str,
    #[serde(rename = "sellerConveyancer")]
    pub(super) seller_conveyancer: &'a str,
    #[serde(rename = "sellingAgent")]
    pub(super) selling_agent: &'a str,
}

#[derive(Debug, Serialize)]
pub(super) struct Milestones {
    pub(super) completion: ExpectedAndCompleted,
    pub(super) enquiries: StartedAndCompleted,
    #[serde(rename = "exchangeOfContracts")]
    pub(super) exchange_of_contracts: ExpectedAndCompleted,
    #[serde(rename = "fallThrough", skip_serializing_if = "Option::is_none")]
    pub(super) fall_through: Option<Completed>,
    pub(super) funding: Funding,
    pub(super) listed: Completed,
    pub(super) searches: Searches,
    #[serde(rename = "soldSubjectToContract")]
    pub(super) sold_subject_to_contract: Completed,
}

#[derive(Debug, Serialize)]
pub(super) struct Completed {
    pub(super) completed: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct ExpectedAndCompleted {
    pub(super) completed: Option<String>,
    pub(super) expected: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct StartedAndCompleted {
    pub(super) completed: Option<String>,
    pub(super) started: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Funding {
    pub(super) completed: Option<String>,
    #[serde(rename = "isCashBuyer")]
    pub(super) is_cash_buyer: bool,
    pub(super) started: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Searches {
    #[serde(rename = "drainageWater")]
    pub(super) drainage_water: Completed,
    pub(super) environmental: Completed,
    #[serde(rename = "localAuthority")]
    pub(super) local_authority: ExpectedAndCompleted,
    pub(super) started: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Pagination {
    #[serde(rename = "currentPage")]
    pub(super) current_page: u64,
    #[serde(rename = "lastPage")]
    pub(super) last_page: u64,
    #[serde(rename = "perPage")]
    pub(super) per_page: u64,
    pub(super) total: u64,
}
