//! Changes of a chain, in words.

use chain::ends::End;
use chain::milestone::MilestoneType;
use jiff::civil::{Date, DateTime};

use crate::words;

/// One line of a chain's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryLine {
    /// When it was recorded.
    pub at: DateTime,
    /// The name of the home, as in `Address::name`.
    pub home: String,
    /// The organisation that recorded it.
    pub by: String,
    /// The change.
    pub change: Change,
}

/// A change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A milestone was recorded or got another date.
    Recorded {
        /// The type.
        milestone: &'static MilestoneType,
        /// The date, if it has one.
        date: Option<Date>,
    },
    /// A milestone was marked as not needed.
    Excluded(&'static MilestoneType),
    /// A milestone was withdrawn.
    Withdrawn(&'static MilestoneType),
    /// The home's seller buys another home.
    Linked {
        /// The name of the home above.
        above: String,
    },
    /// The link between the home and the one above was broken.
    Unlinked {
        /// The name of the home above.
        above: String,
    },
    /// An end of the chain was confirmed.
    Checked(End),
    /// The confirmation of an end was taken back.
    Unchecked {
        /// The end.
        end: End,
        /// Document 2's word; empty or `Unspecified` is not shown.
        reason: String,
    },
    /// Enquiries were opened again.
    Reopened,
    /// The sale was added.
    Created,
    /// Details of the sale were changed.
    Updated,
    /// The sale was withdrawn.
    Deleted,
    /// The sale became the current one of its property.
    BecameCurrent,
    /// Another sale became the current one of the property.
    LostCurrent,
}

impl Change {
    /// The change in words. Dates outside `year` show their year.
    pub(crate) fn words(&self, year: i16) -> String {
        match self {
            Self::Recorded { milestone, date } => recorded(milestone, *date, year),
            Self::Excluded(milestone) => format!("{}: not needed", words::label(milestone)),
            Self::Withdrawn(milestone) => format!("{} withdrawn", words::label(milestone)),
            Self::Linked { above } => format!("linked, its seller buys {above}"),
            Self::Unlinked { above } => format!("link to {above} broken"),
            Self::Checked(end) => format!("{} confirmed", words::capitalised(end.as_str())),
            Self::Unchecked { end, reason } => unchecked(*end, reason),
            Self::Reopened => "enquiries reopened".to_owned(),
            Self::Created => "sale added".to_owned(),
            Self::Updated => "details changed".to_owned(),
            Self::Deleted => "sale withdrawn".to_owned(),
            Self::BecameCurrent => "became the current sale of its property".to_owned(),
            Self::LostCurrent => "another sale became the current one of the property".to_owned(),
        }
    }
}

fn recorded(milestone: &MilestoneType, date: Option<Date>, year: i16) -> String {
    let label = words::label(milestone);
    match date {
        Some(date) => format!("{label}, {}", words::day(date, year)),
        None => format!("{label} recorded"),
    }
}

fn unchecked(end: End, reason: &str) -> String {
    let reason = match reason {
        "Not EOC" => ": it is not the end of the chain",
        "Dont Know If EOC" => ": nobody knows whether the chain ends there",
        _ => "",
    };
    let end = words::capitalised(end.as_str());
    format!("{end} no longer confirmed{reason}")
}
