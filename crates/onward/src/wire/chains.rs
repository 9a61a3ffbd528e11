//! Document 1's answer. Fields stand in canonical order (RFC 8785), so that
//! plain serialisation gives the bytes that are signed.

use chain::listing::TransactionType;
use chain::progress::Progress;
use chain::state::ChainType;
use jiff::civil::Date;
use serde::Serialize;
use signing::canonical::{self, CanonicalError};
use storage::state::{ChainState, ListingState};

/// One chain, without the address that was asked for.
#[derive(Debug, Serialize)]
struct ChainDocument<'a> {
    #[serde(rename = "chainId")]
    chain_id: String,
    #[serde(rename = "chainSummary")]
    summary: Summary,
    properties: Vec<Property<'a>>,
}

#[derive(Debug, Serialize)]
struct Summary {
    #[serde(rename = "chainLength")]
    length: usize,
    #[serde(rename = "chainType")]
    kind: &'static str,
}

#[derive(Debug, Serialize)]
struct Property<'a> {
    address: Address<'a>,
    connections: Connections,
    id: i64,
    #[serde(rename = "isBottomClosed")]
    is_bottom_closed: bool,
    #[serde(rename = "isTopClosed")]
    is_top_closed: bool,
    milestones: Milestones,
    participants: Participants<'a>,
    tenure: &'a str,
    #[serde(rename = "transactionType")]
    transaction_type: Vec<&'static str>,
    uprn: i64,
}

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "document 1's name")]
struct Address<'a> {
    #[serde(rename = "displayAddress")]
    display_address: &'a str,
    line1: &'a str,
    line2: &'a str,
    line3: &'a str,
    line4: &'a str,
    #[serde(rename = "postTown")]
    post_town: &'a str,
    postcode: &'a str,
}

#[derive(Debug, Serialize)]
struct Connections {
    #[serde(rename = "buyersSale")]
    buyers_sale: Vec<i64>,
    #[serde(rename = "onwardPurchase")]
    onward_purchase: Vec<i64>,
}

#[derive(Debug, Serialize)]
struct Participants<'a> {
    #[serde(rename = "buyerConveyancer")]
    buyer_conveyancer: &'a str,
    #[serde(rename = "sellerConveyancer")]
    seller_conveyancer: &'a str,
    #[serde(rename = "sellingAgent")]
    selling_agent: &'a str,
}

#[derive(Debug, Serialize)]
struct Milestones {
    completion: ExpectedAndCompleted,
    enquiries: StartedAndCompleted,
    #[serde(rename = "exchangeOfContracts")]
    exchange_of_contracts: ExpectedAndCompleted,
    #[serde(rename = "fallThrough", skip_serializing_if = "Option::is_none")]
    fall_through: Option<Completed>,
    funding: Funding,
    listed: Completed,
    searches: Searches,
    #[serde(rename = "soldSubjectToContract")]
    sold_subject_to_contract: Completed,
}

#[derive(Debug, Serialize)]
struct Completed {
    completed: Option<String>,
}

#[derive(Debug, Serialize)]
struct ExpectedAndCompleted {
    completed: Option<String>,
    expected: Option<String>,
}

#[derive(Debug, Serialize)]
struct StartedAndCompleted {
    completed: Option<String>,
    started: Option<String>,
}

#[derive(Debug, Serialize)]
struct Funding {
    completed: Option<String>,
    #[serde(rename = "isCashBuyer")]
    is_cash_buyer: bool,
    started: Option<String>,
}

#[derive(Debug, Serialize)]
struct Searches {
    #[serde(rename = "drainageWater")]
    drainage_water: Completed,
    environmental: Completed,
    #[serde(rename = "localAuthority")]
    local_authority: ExpectedAndCompleted,
    started: Option<String>,
}

#[derive(Debug, Serialize)]
struct Pagination {
    #[serde(rename = "currentPage")]
    current_page: u64,
    #[serde(rename = "lastPage")]
    last_page: u64,
    #[serde(rename = "perPage")]
    per_page: u64,
    total: u64,
}

/// A chain's canonical document up to, and without, its closing brace: the
/// member `queriedAddress`, which sorts last, is still to come.
pub fn render_chain(state: &ChainState) -> Result<Vec<u8>, CanonicalError> {
    let document = ChainDocument {
        chain_id: state.chain.id().to_string(),
        summary: Summary {
            length: state.chain.length(),
            kind: match state.chain.chain_type() {
                ChainType::InChain => "IN_CHAIN",
                ChainType::SplitChain => "SPLIT_CHAIN",
                ChainType::NotInChain => "NOT_IN_CHAIN",
            },
        },
        properties: state
            .listings
            .iter()
            .map(|listing| property(state, listing))
            .collect(),
    };
    let mut bytes = canonical::to_canonical(&document)?;
    bytes.pop();
    Ok(bytes)
}

/// Document 1's `data` object, canonical, of chains rendered before and the
/// addresses that were asked for.
pub fn render_data<'a>(
    chains: impl IntoIterator<Item = (&'a [u8], &'a str)>,
    page: &Page,
) -> Result<Vec<u8>, CanonicalError> {
    let mut data = Vec::with_capacity(8192);
    data.extend_from_slice(b"{\"data\":[");
    for (index, (chain, queried_address)) in chains.into_iter().enumerate() {
        if index > 0 {
            data.push(b',');
        }
        data.extend_from_slice(chain);
        data.extend_from_slice(b",\"queriedAddress\":");
        data.extend_from_slice(&canonical::to_canonical(&queried_address)?);
        data.push(b'}');
    }
    data.extend_from_slice(b"],\"pagination\":");
    let pagination = Pagination {
        current_page: page.number,
        last_page: page.total.div_ceil(page.rows).max(1),
        per_page: page.rows,
        total: page.total,
    };
    data.extend_from_slice(&canonical::to_canonical(&pagination)?);
    data.push(b'}');
    Ok(data)
}

/// Which part of the matched values is answered (S-2, S-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Counted from 1.
    pub number: u64,
    /// Chains on a page.
    pub rows: u64,
    /// Matched values in all.
    pub total: u64,
}

impl Page {
    /// The matched values that this page shows, as positions counted from 0.
    pub fn range(&self) -> std::ops::Range<usize> {
        let start = (self.number - 1).saturating_mul(self.rows).min(self.total);
        let end = start.saturating_add(self.rows).min(self.total);
        // Both are at most the number of values of one query.
        let position = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        position(start)..position(end)
    }
}

fn property<'a>(state: &ChainState, listing: &'a ListingState) -> Property<'a> {
    let uprns = |listings: &[chain::ids::ListingId]| {
        listings
            .iter()
            .filter_map(|id| state.listings.iter().find(|other| other.listing == *id))
            .map(|other| other.uprn.value())
            .collect()
    };
    let chain = &state.chain;
    Property {
        address: Address {
            display_address: &listing.address.display_address,
            line1: &listing.address.line1,
            line2: &listing.address.line2,
            line3: &listing.address.line3,
            line4: &listing.address.line4,
            post_town: &listing.address.post_town,
            postcode: &listing.address.postcode,
        },
        connections: Connections {
            buyers_sale: uprns(chain.buyers_sales(listing.listing)),
            onward_purchase: uprns(chain.onward_purchases(listing.listing)),
        },
        id: listing.property.0,
        is_bottom_closed: chain.is_bottom_closed(listing.listing),
        is_top_closed: chain.is_top_closed(listing.listing),
        milestones: milestones(&Progress::fold(listing.milestones.iter().copied())),
        participants: Participants {
            buyer_conveyancer: &listing.buyer_conveyancer,
            seller_conveyancer: &listing.seller_conveyancer,
            selling_agent: &listing.selling_agent,
        },
        tenure: &listing.tenure,
        transaction_type: listing
            .transaction_type
            .split_whitespace()
            .filter_map(TransactionType::parse)
            .map(TransactionType::as_str)
            .collect(),
        uprn: listing.uprn.value(),
    }
}

fn milestones(progress: &Progress) -> Milestones {
    let day = |date: Option<Date>| date.map(|date| date.to_string());
    Milestones {
        completion: ExpectedAndCompleted {
            completed: day(progress.completion.completed),
            expected: day(progress.completion.expected),
        },
        enquiries: StartedAndCompleted {
            completed: day(progress.enquiries.completed),
            started: day(progress.enquiries.started),
        },
        exchange_of_contracts: ExpectedAndCompleted {
            completed: day(progress.exchange_of_contracts.completed),
            expected: day(progress.exchange_of_contracts.expected),
        },
        fall_through: progress.fall_through.map(|date| Completed {
            completed: day(Some(date)),
        }),
        funding: Funding {
            completed: day(progress.funding.completed),
            is_cash_buyer: progress.funding.is_cash_buyer,
            started: day(progress.funding.started),
        },
        listed: Completed {
            completed: day(progress.listed),
        },
        searches: Searches {
            drainage_water: Completed {
                completed: day(progress.searches.drainage_water_completed),
            },
            environmental: Completed {
                completed: day(progress.searches.environmental_completed),
            },
            local_authority: ExpectedAndCompleted {
                completed: day(progress.searches.local_authority_completed),
                expected: day(progress.searches.local_authority_expected),
            },
            started: day(progress.searches.started),
        },
        sold_subject_to_contract: Completed {
            completed: day(progress.sold_subject_to_contract),
        },
    }
}
