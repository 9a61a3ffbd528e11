//! The page of one sale, `/listings/{id}`, and the form for a new one, `/listings/new`.

use askama::Template;
use chain::ends::End;
use chain::ids::{ChainId, ListingId, Uprn};
use chain::listing::{Tenure, TransactionType};
use chain::milestone::{Group, MilestoneType};
use jiff::civil::{Date, DateTime};

use crate::chain_page::Confirmation;
use crate::chains::Branch;
use crate::change::HistoryLine;
use crate::frame::{Frame, Section};
use crate::home::Address;
use crate::words::{capitalised, full_day, moment};

/// The keys of the milestones that change when enquiries are reopened.
pub const ENQUIRIES: [&str; 2] = ["enquiries_opened", "enquiries_closed"];

/// One sale of the viewer's branches.
#[derive(Debug, Clone, Template)]
#[template(path = "listing.html", whitespace = "minimize")]
pub struct ListingPage {
    /// The frame.
    pub frame: Frame,
    /// The sale.
    pub listing: ListingId,
    /// The property.
    pub uprn: Uprn,
    /// The address of the property.
    pub address: Address,
    /// The branch that holds the sale.
    pub branch: String,
    /// The chain.
    pub chain: ChainId,
    /// The number of homes in the chain.
    pub chain_length: usize,
    /// Today in London.
    pub today: Date,
    /// Whether the sale is the current one of its property.
    pub is_current: bool,
    /// Whether two sales of the property are under offer.
    pub is_contested: bool,
    /// Whether links, breaks and checks are refused.
    pub is_locked: bool,
    /// The details, as stored or as typed.
    pub details: Details,
    /// All 28 types, in the order of the catalogue.
    pub milestones: Vec<MilestoneEntry>,
    /// The homes above and below.
    pub links: Links,
    /// The upper end; `None`: the sale is not at the top of its chain.
    pub top: Option<EndState>,
    /// The lower end; `None`: the sale is not at the bottom of its chain.
    pub bottom: Option<EndState>,
    /// The newest changes, newest first.
    pub history: Vec<HistoryLine>,
    /// Newest first.
    pub notes: Vec<Note>,
    /// The note typed, after a refusal; field `note-text`.
    pub note_typed: String,
}

/// The fields of the details form. The ids are `details-` and the field's name.
#[derive(Debug, Clone, Default)]
pub struct Details {
    /// `price`, in pounds.
    pub price: String,
    /// `tenure`, in document 1's words or empty.
    pub tenure: String,
    /// `transaction_type`, in document 1's words, repeated.
    pub transaction_types: Vec<String>,
    /// `seller_conveyancer`
    pub seller_conveyancer: String,
    /// `buyer_conveyancer`
    pub buyer_conveyancer: String,
    /// `external_id`
    pub external_id: String,
    /// `is_locked` = `1`
    pub is_locked: bool,
    /// `seen`: the stored details in one text, as the page shows them. Another text means that somebody
    /// changed them.
    pub seen: String,
    /// Whether somebody else changed the details while the page was open.
    pub is_newer: bool,
}

/// One milestone type of the sale. Its field is `milestone-{key}-date`.
#[derive(Debug, Clone)]
pub struct MilestoneEntry {
    /// The type.
    pub milestone: &'static MilestoneType,
    /// The record; `None`: nothing is recorded, or it was withdrawn.
    pub record: Option<MilestoneRecord>,
    /// The date typed, after a refusal.
    pub typed: Option<String>,
    /// Whether somebody else recorded or withdrew it while the page was open.
    pub is_newer: bool,
}

/// The last record of one milestone type.
#[derive(Debug, Clone)]
pub struct MilestoneRecord {
    /// The date; `None` if it is not needed or enquiries were reopened.
    pub date: Option<Date>,
    /// Whether the sale does not need it.
    pub is_excluded: bool,
    /// The organisation or person who recorded it; empty if unknown.
    pub by: String,
    /// Whether a machine recorded it: a client or an import.
    pub is_by_machine: bool,
    /// When it was recorded.
    pub at: DateTime,
}

/// The neighbours of a sale.
#[derive(Debug, Clone, Default)]
pub struct Links {
    /// The homes that the seller buys.
    pub above: Vec<Neighbour>,
    /// The homes that the buyer sells.
    pub below: Vec<Neighbour>,
    /// Links that wait for another branch, the newest first.
    pub proposed: Vec<Proposal>,
    /// The number of older ones that are not shown.
    pub older_proposals: u64,
    /// The listing id typed, after a refusal; field `link-other`.
    pub typed: String,
    /// Whether the refused form named a home below.
    pub typed_below: bool,
}

/// A linked sale.
#[derive(Debug, Clone)]
pub struct Neighbour {
    /// The sale.
    pub listing: ListingId,
    /// The name of the home.
    pub name: String,
    /// Whether the viewer may open it.
    pub may_open: bool,
    /// Whether one of the two homes has another link on the same side. Only the operator makes such links
    /// (S-46).
    pub is_split: bool,
}

/// A link that waits for another branch.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// The other sale.
    pub listing: ListingId,
    /// Whether the other sale lies above.
    pub is_above: bool,
    /// Whether the viewer's branch proposed it; otherwise the viewer can confirm it.
    pub is_own: bool,
    /// When it ends.
    pub until: Date,
}

/// An end of the chain at this sale. Its field is `end-top` or `end-bottom`: the reason, or the button
/// that confirms the end.
#[derive(Debug, Clone, Default)]
pub struct EndState {
    /// Whether it is confirmed.
    pub is_checked: bool,
    /// Who confirmed it, if known.
    pub confirmed: Option<Confirmation>,
    /// The field `seen` of its form: the homes at the end.
    pub seen: String,
}

/// A note of the viewer's branch. Notes are never changed.
#[derive(Debug, Clone)]
pub struct Note {
    /// When it was written.
    pub at: DateTime,
    /// The author.
    pub by: String,
    /// The text; line breaks are kept.
    pub text: String,
}

/// `/listings/new`
#[derive(Debug, Clone, Template)]
#[template(path = "new_listing.html", whitespace = "minimize")]
pub struct NewListingPage {
    /// The frame.
    pub frame: Frame,
    /// The viewer's branches.
    pub branches: Vec<Branch>,
    /// The values typed.
    pub typed: NewListing,
}

/// The fields of a new listing. The ids are `new-` and the field's name.
#[derive(Debug, Clone, Default)]
pub struct NewListing {
    /// `branch_id`
    pub branch: String,
    /// `line1`
    pub line1: String,
    /// `line2`
    pub line2: String,
    /// `line3`
    pub line3: String,
    /// `line4`
    pub line4: String,
    /// `post_town`
    pub post_town: String,
    /// `postcode`
    pub postcode: String,
    /// `uprn`, optional.
    pub uprn: String,
    /// `price`, `tenure`, `transaction_type`, `seller_conveyancer`, `buyer_conveyancer` and
    /// `external_id`, with the same prefix.
    pub details: Details,
}

impl ListingPage {
    /// The entries of a group, in the order of the catalogue.
    fn entries(&self, group: Group) -> Vec<&MilestoneEntry> {
        let entries = self.milestones.iter();
        entries
            .filter(|entry| entry.milestone.group == group)
            .collect()
    }

    /// The field `seen` of the form that reopens enquiries.
    fn enquiries(&self) -> String {
        let state = |key: &str| {
            let mut milestones = self.milestones.iter();
            let found = milestones.find(|entry| entry.milestone.key == key);
            found.map_or_else(|| milestone_seen(None), MilestoneEntry::seen)
        };
        ENQUIRIES.map(state).join(" ")
    }

    /// The ends of the chain at this sale.
    fn ends(&self) -> Vec<(End, &EndState)> {
        let ends = [(End::Top, &self.top), (End::Bottom, &self.bottom)];
        let ends = ends.into_iter();
        ends.filter_map(|(end, state)| Some((end, state.as_ref()?)))
            .collect()
    }
}

/// The state of a milestone as the field `seen` of its form names it. `record` has the date, and whether
/// the sale does not need the milestone.
pub fn milestone_seen(record: Option<(Option<Date>, bool)>) -> String {
    match record {
        None => "nothing".to_owned(),
        Some((_, true)) => "excluded".to_owned(),
        Some((Some(date), false)) => date.to_string(),
        Some((None, false)) => "undated".to_owned(),
    }
}

impl MilestoneEntry {
    /// The field `seen`: the state that the page shows.
    fn seen(&self) -> String {
        let record = self.record.as_ref();
        milestone_seen(record.map(|record| (record.date, record.is_excluded)))
    }

    /// The message for a form of an older state. It names the present value and the value of the form.
    pub fn conflict(&self, action: &str, date: &str) -> String {
        let chosen = match (action, date.parse::<Date>()) {
            ("withdraw", _) => "to withdraw it".to_owned(),
            ("exclude", _) => "that it is not needed".to_owned(),
            (_record, Ok(date)) => full_day(date),
            (_record, Err(_)) => date.to_owned(),
        };
        format!(
            "Somebody else changed this since you opened the page: now {}. You chose {chosen}. Send it \
             again to replace the other, or keep what is recorded.",
            self.words()
        )
    }

    /// The state in words, in the middle of a sentence, with its author and time.
    fn words(&self) -> String {
        let Some(record) = &self.record else {
            return "nothing is recorded".to_owned();
        };
        let state = match record.date {
            _ if record.is_excluded => "it is not needed".to_owned(),
            Some(date) => format!("{} is recorded", full_day(date)),
            None => "it is recorded without a date".to_owned(),
        };
        let at = moment(&record.at);
        match record.by.as_str() {
            "" => format!("{state}, since {at}"),
            by => format!("{state}, by {by} at {at}"),
        }
    }

    /// The id of the field.
    fn field(&self) -> String {
        format!("milestone-{}-date", self.milestone.key)
    }

    /// The text in the field.
    fn value(&self) -> String {
        let recorded = || self.record.as_ref()?.date;
        match &self.typed {
            Some(typed) => typed.clone(),
            None => recorded().map(|date| date.to_string()).unwrap_or_default(),
        }
    }
}

impl Neighbour {
    /// The id of the field that confirms the end of a link of a split chain.
    fn field(&self) -> String {
        format!("unlink-{}-sure", self.listing)
    }
}

impl Links {
    /// The neighbours, each side with the value of `side`.
    fn sides(&self) -> [(&'static str, &[Neighbour]); 2] {
        [("above", &self.above), ("below", &self.below)]
    }
}

impl Details {
    fn has(&self, transaction_type: &str) -> bool {
        self.transaction_types
            .iter()
            .any(|one| one == transaction_type)
    }
}

/// The id of a field of the details.
fn id(prefix: &str, name: &str) -> String {
    format!("{prefix}{name}")
}

/// Each tenure as document 1 spells it, and as pages show it.
fn tenures() -> [(&'static str, String); 4] {
    Tenure::ALL.map(|tenure| {
        let words = match tenure {
            Tenure::ShareOfFreehold => "share of freehold",
            Tenure::Freehold | Tenure::Leasehold | Tenure::Commonhold => tenure.as_str(),
        };
        (tenure.as_str(), capitalised(words))
    })
}

/// Each transaction type as document 1 spells it, and as pages show it.
fn transaction_types() -> [(&'static str, String); 7] {
    TransactionType::ALL.map(|one| (one.as_str(), capitalised(&one.as_str().replace('_', " "))))
}
