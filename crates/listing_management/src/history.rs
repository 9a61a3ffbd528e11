//! Writes the history of listings, with the details of each kind of change.

use chain::ends::End;
use chain::ids::{ChainId, ListingId};
use chain::milestone::MilestoneType;
use chain::record::Record;
use chain::state::Link;
use serde::Serialize;
use storage::Write;
use storage::history::{self, NewEntry};
use storage::listings::StoredListing;
use utoipa::openapi::schema::AnyOfBuilder;
use utoipa::{PartialSchema, ToSchema};
use web::problem::Problem;

/// The actor of changes by an operator's command.
pub const OPERATOR: &str = "operator";

/// Writes lines of history for one actor at one time.
#[derive(Debug, Clone, Copy)]
pub struct HistoryWriter<'a> {
    /// The id of a client, or [`OPERATOR`].
    pub actor: &'a str,
    /// Unix seconds.
    pub now: i64,
}

/// A listing that was changed, with its chain.
#[derive(Debug, Clone, Copy)]
pub struct ListingInChain {
    /// The listing.
    pub listing: ListingId,
    /// The listing's chain after the change.
    pub chain: ChainId,
}

impl From<&StoredListing> for ListingInChain {
    fn from(stored: &StoredListing) -> Self {
        Self {
            listing: stored.id,
            chain: stored.chain,
        }
    }
}

impl HistoryWriter<'_> {
    /// Writes one line of a listing's history, in the transaction of the change.
    pub fn note(
        &self,
        write: &mut Write<'_>,
        at: ListingInChain,
        action: &'static str,
        detail: &impl Serialize,
    ) -> Result<(), Problem> {
        let detail =
            serde_json::to_string(detail).map_err(|error| Problem::Internal(error.to_string()))?;
        let entry = NewEntry {
            listing: at.listing,
            chain: at.chain,
            action,
            actor: self.actor,
            detail: &detail,
        };
        history::append_history(write, &entry, self.now)?;
        Ok(())
    }
}

/// A link added or broken.
#[derive(Debug, Serialize, ToSchema)]
pub struct LinkDetail {
    seller: i64,
    buyer: i64,
    /// The operator's reason, if the operator broke the link.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl From<Link> for LinkDetail {
    fn from(link: Link) -> Self {
        Self {
            reason: None,
            seller: link.seller.0,
            buyer: link.buyer.0,
        }
    }
}

/// An end checked or unchecked, and the reason given.
// S-44
#[derive(Debug, Serialize, ToSchema)]
pub struct EndDetail {
    end: &'static str,
    reason: &'static str,
}

impl EndDetail {
    /// Makes the detail. `reason` has document 2's spelling.
    pub fn new(end: End, reason: &'static str) -> Self {
        Self {
            end: end.as_str(),
            reason,
        }
    }
}

/// A milestone as it stands from now on.
#[derive(Debug, Serialize, ToSchema)]
pub struct MilestoneDetail {
    key: &'static str,
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_at: Option<i64>,
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<i64>,
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    excluded: Option<bool>,
}

impl MilestoneDetail {
    /// The detail of a recorded milestone.
    pub fn recorded(kind: &MilestoneType, record: &Record) -> Self {
        Self {
            key: kind.key,
            date: record.date.map(|date| date.to_string()),
            completed_at: record.completed_at,
            origin: Some(record.origin.code()),
            excluded: Some(record.excluded),
        }
    }

    /// The detail of a withdrawn milestone.
    pub fn withdrawn(kind: &MilestoneType) -> Self {
        Self {
            key: kind.key,
            date: None,
            completed_at: None,
            origin: None,
            excluded: None,
        }
    }
}

/// A listing as its branch describes it; what is not said did not change.
#[derive(Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct ListingDetail {
    /// In pounds.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<i64>,
    /// The property sold.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address_id: Option<i64>,
    /// The branch's own reference.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// `freehold`, `leasehold`, `commonhold`, `shareoffreehold` or empty.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenure: Option<String>,
    /// Words such as `auction` or `probate`, separated by one space.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction_type: Option<String>,
    /// Organisation name.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seller_conveyancer: Option<String>,
    /// Organisation name.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buyer_conveyancer: Option<String>,
    /// Whether links and checks of it are refused.
    // S-53
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_locked: Option<bool>,
}

/// A listing that was withdrawn.
#[derive(Debug, Serialize, ToSchema)]
pub struct WithdrawnDetail {
    id: i64,
}

impl From<ListingId> for WithdrawnDetail {
    fn from(listing: ListingId) -> Self {
        Self { id: listing.0 }
    }
}

/// A change of the property's current listing.
// S-6
#[derive(Debug, Serialize, ToSchema)]
pub struct CurrentDetail {
    /// The operator's reason, if the operator decided.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The schema of all details.
pub(crate) fn describe_details() -> AnyOfBuilder {
    AnyOfBuilder::new()
        .description(Some(
            "What changed. `link.added`, `link.broken`, `link.proposed` and `proposal.withdrawn` name both \
             sides; `end.checked` and `end.unchecked` the end and the reason; `milestone.recorded` the \
             milestone as it stands then, `milestone.withdrawn` its key; `listing.created` and \
             `listing.updated` what was said; `listing.withdrawn` the listing's id; `enquiries.reopened` \
             nothing; `current.gained` and `current.lost` the reason, if an operator gave one.",
        ))
        .item(LinkDetail::schema())
        .item(EndDetail::schema())
        .item(MilestoneDetail::schema())
        .item(WithdrawnDetail::schema())
        .item(ListingDetail::schema())
        .item(CurrentDetail::schema())
}
