//! Renders document 1's answer to the bytes that are signed.

use chain::listing::TransactionType;
use chain::milestone::Field;
use chain::progress::Progress;
use chain::state::ChainType;
use observe::clock;
use signing::canonical::{self, CanonicalError};
use storage::state::{ChainState, ListingState};

use crate::past::Past;

use self::shape::{
    Address, ChainDocument, Completed, Connections, ExpectedAndCompleted, Funding, Kind,
    Milestones, Pagination, Participants, Property, Searches, StartedAndCompleted, Summary,
};

pub use self::envelope::{ChainAnswer, VersionAnswer};
pub use self::pack::EvidencePack;

mod envelope;
pub mod explanation;
mod pack;
pub(crate) mod shape;

/// Renders a chain's canonical document without its closing brace, because `render_data` still
/// appends the member that sorts last, `queriedAddress`.
pub fn render_chain(state: &ChainState) -> Result<Vec<u8>, CanonicalError> {
    let document = ChainDocument {
        chain_id: state.chain.id().to_string(),
        summary: Summary {
            length: state.chain.length(),
            kind: match state.chain.chain_type() {
                ChainType::InChain => Kind::InChain,
                ChainType::SplitChain => Kind::SplitChain,
                ChainType::NotInChain => Kind::NotInChain,
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

/// Renders document 1's canonical `data` object. Each chain is a result of [`render_chain`] with
/// its `queriedAddress`. An answer about a past time says so (S-60), so that nobody takes it for a present one.
pub(crate) fn render_data<'a>(
    chains: impl IntoIterator<Item = (&'a [u8], &'a str)>,
    page: &Page,
    past: Option<Past>,
) -> Result<Vec<u8>, CanonicalError> {
    let mut data = Vec::with_capacity(8192);
    data.push(b'{');
    if let Some(past) = past {
        push_as_of(&mut data, past)?;
    }
    data.extend_from_slice(b"\"data\":[");
    for (index, (chain, queried_address)) in chains.into_iter().enumerate() {
        if index > 0 {
            data.push(b',');
        }
        data.extend_from_slice(chain);
        data.extend_from_slice(b",\"queriedAddress\":");
        data.extend_from_slice(&canonical::to_canonical(&queried_address)?);
        data.push(b'}');
    }
    data.push(b']');
    push_erased(&mut data, past)?;
    data.extend_from_slice(b",\"pagination\":");
    data.extend_from_slice(&canonical::to_canonical(&Pagination::from(*page))?);
    data.push(b'}');
    Ok(data)
}

/// Renders the canonical `data` object of an answer about one version. `chain` is a document without its
/// closing brace.
pub(crate) fn render_version(
    chain: &[u8],
    version: i64,
    past: Past,
) -> Result<Vec<u8>, CanonicalError> {
    let mut data = Vec::with_capacity(chain.len() + 96);
    data.push(b'{');
    push_as_of(&mut data, past)?;
    data.extend_from_slice(b"\"chain\":");
    data.extend_from_slice(chain);
    data.push(b'}');
    push_erased(&mut data, Some(past))?;
    data.extend_from_slice(b",\"version\":");
    data.extend_from_slice(&canonical::to_canonical(&version)?);
    data.push(b'}');
    Ok(data)
}

/// Adds the member `asOf` and a comma.
fn push_as_of(data: &mut Vec<u8>, past: Past) -> Result<(), CanonicalError> {
    data.extend_from_slice(b"\"asOf\":");
    data.extend_from_slice(&canonical::to_canonical(&clock::to_rfc3339(past.as_of))?);
    data.push(b',');
    Ok(())
}

/// Adds a comma and the member `erased`, if an answer about the past lacks erased sales (S-60).
fn push_erased(data: &mut Vec<u8>, past: Option<Past>) -> Result<(), CanonicalError> {
    if let Some(past) = past.filter(|past| past.erased > 0) {
        data.extend_from_slice(b",\"erased\":");
        data.extend_from_slice(&canonical::to_canonical(&past.erased)?);
    }
    Ok(())
}

/// The requested page of the matched values (S-2, S-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Page number, counted from 1.
    pub number: u64,
    /// Chains per page.
    pub rows: u64,
    /// Number of matched values on all pages.
    pub total: u64,
}

impl Page {
    /// Positions of this page's values among all matched values, counted from 0.
    pub fn range(&self) -> std::ops::Range<usize> {
        let start = (self.number - 1).saturating_mul(self.rows).min(self.total);
        let end = start.saturating_add(self.rows).min(self.total);
        // Neither exceeds the number of values of one query, so the conversion cannot fail.
        let position = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        position(start)..position(end)
    }
}

impl From<Page> for Pagination {
    fn from(page: Page) -> Self {
        Self {
            current_page: page.number,
            last_page: page.total.div_ceil(page.rows).max(1),
            per_page: page.rows,
            total: page.total,
        }
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
    let day = |field| progress.date(field).map(|date| date.to_string());
    Milestones {
        completion: ExpectedAndCompleted {
            completed: day(Field::CompletionCompleted),
            expected: day(Field::CompletionExpected),
        },
        enquiries: StartedAndCompleted {
            completed: day(Field::EnquiriesCompleted),
            started: day(Field::EnquiriesStarted),
        },
        exchange_of_contracts: ExpectedAndCompleted {
            completed: day(Field::ExchangeOfContractsCompleted),
            expected: day(Field::ExchangeOfContractsExpected),
        },
        fall_through: day(Field::FallThroughCompleted).map(|date| Completed {
            completed: Some(date),
        }),
        funding: Funding {
            completed: day(Field::FundingCompleted),
            is_cash_buyer: progress.is_cash_buyer(),
            started: day(Field::FundingStarted),
        },
        listed: Completed {
            completed: day(Field::ListedCompleted),
        },
        searches: Searches {
            drainage_water: Completed {
                completed: day(Field::DrainageWaterCompleted),
            },
            environmental: Completed {
                completed: day(Field::EnvironmentalCompleted),
            },
            local_authority: ExpectedAndCompleted {
                completed: day(Field::LocalAuthorityCompleted),
                expected: day(Field::LocalAuthorityExpected),
            },
            started: day(Field::SearchesStarted),
        },
        sold_subject_to_contract: Completed {
            completed: day(Field::SoldSubjectToContractCompleted),
        },
    }
}

#[cfg(test)]
mod tests {
    use chain::milestone::CATALOGUE;
    use chain::progress::Recorded;
    use jiff::civil::date;

    use super::*;

    /// The member at a path below `milestones`.
    fn find<'v>(rendered: &'v serde_json::Value, member: &str) -> Option<&'v serde_json::Value> {
        rendered.pointer(&format!("/{}", member.replace('.', "/")))
    }

    #[test]
    fn each_milestone_with_a_member_is_rendered_there_and_nowhere_else() {
        let empty = serde_json::to_value(milestones(&Progress::default())).unwrap();
        let day = Some(date(2026, 3, 1));
        for kind in CATALOGUE.iter().filter(|kind| kind.field.is_some()) {
            let recorded = Recorded {
                milestone: kind,
                date: day,
            };
            let rendered = milestones(&Progress::fold([recorded]));
            let rendered = serde_json::to_value(rendered).unwrap();
            for field in Field::ALL {
                let shown = find(&rendered, field.member());
                if kind.field != Some(field) {
                    assert_eq!(
                        shown,
                        find(&empty, field.member()),
                        "{} {field:?}",
                        kind.key
                    );
                } else if field == Field::FundingIsCashBuyer {
                    assert_eq!(shown, Some(&true.into()));
                } else {
                    assert_eq!(shown, Some(&"2026-03-01".into()), "{}", kind.key);
                }
            }
        }
    }
}
