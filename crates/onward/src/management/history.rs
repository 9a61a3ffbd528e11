//! The history: what it says of each kind of change, and how it is written.

use chain::ends::End;
use chain::ids::{ChainId, ListingId};
use chain::milestone::MilestoneType;
use chain::record::Record;
use chain::state::Link;
use serde::Serialize;
use storage::Write;
use storage::history::{self, NewEntry};

use crate::problem::Problem;

/// Who writes the history where no client does: an operator's command.
pub const OPERATOR: &str = "operator";

/// Writes lines of history.
#[derive(Debug, Clone, Copy)]
pub struct Pen<'a> {
    /// A client's id, or [`OPERATOR`].
    pub actor: &'a str,
    /// Unix seconds.
    pub now: i64,
}

impl Pen<'_> {
    /// Writes one line of a listing's history, in the transaction of the change.
    pub fn note(
        &self,
        write: &mut Write<'_>,
        (listing, chain): (ListingId, ChainId),
        action: &'static str,
        detail: &impl Serialize,
    ) -> Result<(), Problem> {
        let detail =
            serde_json::to_string(detail).map_err(|error| Problem::Internal(error.to_string()))?;
        let entry = NewEntry {
            listing,
            chain,
            action,
            actor: self.actor,
            detail: &detail,
        };
        history::append_history(write, &entry, self.now)?;
        Ok(())
    }
}

/// A link added or broken.
#[derive(Debug, Serialize)]
pub struct LinkDetail {
    seller: i64,
    buyer: i64,
}

impl From<Link> for LinkDetail {
    fn from(link: Link) -> Self {
        Self {
            seller: link.seller.0,
            buyer: link.buyer.0,
        }
    }
}

/// An end checked or unchecked, and the reason given (S-44).
#[derive(Debug, Serialize)]
pub struct EndDetail {
    end: &'static str,
    reason: &'static str,
}

impl EndDetail {
    /// The reason in document 2's spelling.
    pub fn new(end: End, reason: &'static str) -> Self {
        Self {
            end: end.as_str(),
            reason,
        }
    }
}

/// A milestone as it stands from now on.
#[derive(Debug, Serialize)]
pub struct MilestoneDetail {
    key: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    excluded: Option<bool>,
}

impl MilestoneDetail {
    /// One that was recorded.
    pub fn recorded(kind: &MilestoneType, record: &Record) -> Self {
        Self {
            key: kind.key,
            date: record.date.map(|date| date.to_string()),
            completed_at: record.completed_at,
            origin: Some(record.origin.code()),
            excluded: Some(record.excluded),
        }
    }

    /// One that was withdrawn.
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
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct ListingDetail {
    /// In pounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<i64>,
    /// The property sold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address_id: Option<i64>,
    /// The branch's own reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    /// Document 1's word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenure: Option<String>,
    /// Document 1's words, separated by one space.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction_type: Option<String>,
    /// Organisation name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seller_conveyancer: Option<String>,
    /// Organisation name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buyer_conveyancer: Option<String>,
    /// S-53.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_locked: Option<bool>,
}

/// A listing that was withdrawn.
#[derive(Debug, Serialize)]
pub struct WithdrawnDetail {
    id: i64,
}

impl From<ListingId> for WithdrawnDetail {
    fn from(listing: ListingId) -> Self {
        Self { id: listing.0 }
    }
}
