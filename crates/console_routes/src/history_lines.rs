//! Lines of the history in the words of pages.

use std::collections::HashMap;

use chain::ends::End;
use chain::ids::ListingId;
use chain::milestone::{self, MilestoneType};
use console::change::{Change, HistoryLine};
use listing_management::history::OPERATOR;
use serde::Deserialize;
use storage::history::HistoryEntry;

use super::times::moment;

/// The members of all details that pages show.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Detail {
    key: String,
    date: Option<String>,
    excluded: Option<bool>,
    seller: Option<i64>,
    buyer: Option<i64>,
    end: String,
    reason: String,
}

/// The names of homes by listing.
pub(crate) type Names = HashMap<ListingId, String>;

/// Puts entries into words. Entries of unknown kinds are left out.
pub(crate) fn to_lines<'e>(
    entries: impl IntoIterator<Item = &'e HistoryEntry>,
    names: &Names,
) -> Vec<HistoryLine> {
    let entries = entries.into_iter();
    let mut lines: Vec<_> = entries.filter_map(|entry| to_line(entry, names)).collect();
    // A link is an entry of both its listings.
    lines.dedup();
    lines
}

fn to_line(entry: &HistoryEntry, names: &Names) -> Option<HistoryLine> {
    let detail: Detail = serde_json::from_str(&entry.detail).unwrap_or_default();
    let name = |listing: Option<i64>| {
        let found = listing.and_then(|id| names.get(&ListingId(id)).cloned());
        found.unwrap_or_else(|| "a home outside this chain".to_owned())
    };
    let (listing, change) = match entry.action.as_str() {
        "milestone.recorded" => (entry.listing.0, recorded(&detail)?),
        "milestone.withdrawn" => (entry.listing.0, Change::Withdrawn(find_type(&detail)?)),
        "link.added" | "link.broken" => {
            let above = name(detail.seller);
            let change = if entry.action == "link.added" {
                Change::Linked { above }
            } else {
                Change::Unlinked { above }
            };
            (detail.buyer?, change)
        }
        "end.checked" => (entry.listing.0, Change::Checked(find_end(&detail)?)),
        "end.unchecked" => {
            let change = Change::Unchecked {
                end: find_end(&detail)?,
                reason: detail.reason,
            };
            (entry.listing.0, change)
        }
        "enquiries.reopened" => (entry.listing.0, Change::Reopened),
        "listing.created" => (entry.listing.0, Change::Created),
        "listing.updated" => (entry.listing.0, Change::Updated),
        "listing.withdrawn" => (entry.listing.0, Change::Deleted),
        "current.gained" => (entry.listing.0, Change::BecameCurrent),
        "current.lost" => (entry.listing.0, Change::LostCurrent),
        _unknown => return None,
    };
    Some(HistoryLine {
        at: moment(entry.at),
        home: name(Some(listing)),
        by: author(entry),
        change,
    })
}

fn recorded(detail: &Detail) -> Option<Change> {
    let milestone = find_type(detail)?;
    if detail.excluded == Some(true) {
        return Some(Change::Excluded(milestone));
    }
    let date = detail.date.as_ref().and_then(|date| date.parse().ok());
    Some(Change::Recorded { milestone, date })
}

fn find_type(detail: &Detail) -> Option<&'static MilestoneType> {
    milestone::find_by_key(&detail.key)
}

fn find_end(detail: &Detail) -> Option<End> {
    [End::Top, End::Bottom]
        .into_iter()
        .find(|end| end.as_str() == detail.end)
}

/// The organisation that made a change.
fn author(entry: &HistoryEntry) -> String {
    match (&entry.participant, entry.actor.as_str()) {
        (Some(participant), _) => participant.clone(),
        (None, OPERATOR) => "The operator".to_owned(),
        (None, "import") => "An import".to_owned(),
        (None, _) => String::new(),
    }
}
