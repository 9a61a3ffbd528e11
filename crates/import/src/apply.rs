//! Applies rows to the store. Applying a row twice has the same effect as applying it once.
//!
//! A batch reads what its rows name in a few statements, applies the rows in memory, and stores the
//! changes in a few statements. A statement for each row would take most of the time on PostgreSQL.

mod chains;
mod known;
mod pending;
mod property;
mod unsettled;

use std::sync::Arc;

use chain::current::Offer;
use chain::ids::{ChainId, ListingId, PropertyId};
use chain::london::date_in_london;
use chain::milestone::Origin;
use chain::state::{Chain, Member};
use jiff::civil::Date;
use storage::batches::NewMilestone;
use storage::branch::{self, Branch};
use storage::listings::{self, FoundListing, ListingDetails};
use storage::{StorageError, Write, proposals};
use uuid::Uuid;

use self::known::{Known, KnownListing, Written};
use self::pending::Pending;
pub use self::property::new_property;
pub use self::unsettled::Holders;
use self::unsettled::Unsettled;
use super::row::{
    BranchRow, ChainEnd, EndCheckRow, LinkRow, ListingRow, MilestoneRow, PartyRole, PartyRow,
    PropertyRow, Row,
};

/// The actor of an import in the history.
const ACTOR: &str = "import";

/// The result of one batch.
#[derive(Debug, Default)]
pub struct BatchReport {
    /// Rows that changed the store.
    pub changed: u64,
    /// Rows that the store held already.
    pub unchanged: u64,
    /// The positions of refused rows in the batch, with the reasons.
    pub refused: Vec<(usize, String)>,
    /// The holders that this batch has found.
    pub holders: Holders,
}

/// The rows of one transaction. It holds only data that this transaction read or wrote.
#[derive(Debug)]
struct Batch {
    now: i64,
    /// The date in London.
    today: Date,
    known: Known,
    pending: Pending,
    unsettled: Unsettled,
    /// The listings that moved to another property.
    moved: Vec<ListingId>,
}

/// The reasons why a row is not applied.
enum Refusal {
    /// The row is wrong. Nothing of it was written.
    Row(String),
    /// The store failed; the whole batch is rolled back.
    Storage(StorageError),
}

impl From<StorageError> for Refusal {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

type Applied = Result<bool, Refusal>;

/// Applies the rows in order at this Unix time; a refused row changes nothing. `holders` are from the
/// earlier batches of the import.
pub fn apply_batch(
    write: &mut Write<'_>,
    rows: &[Row],
    now: i64,
    holders: &Arc<Holders>,
) -> Result<BatchReport, StorageError> {
    let known = Known::load(write, rows)?;
    let properties = known.count_new_properties(rows);
    let pending = Pending::reserve(write, properties, known.count_new_listings(rows))?;
    let mut batch = Batch {
        now,
        today: date_in_london(now).unwrap_or(Date::MAX),
        known,
        pending,
        unsettled: Unsettled::default(),
        moved: Vec::new(),
    };
    let mut report = BatchReport::default();
    for (index, row) in rows.iter().enumerate() {
        match batch.apply_row(write, row) {
            Ok(true) => report.changed += 1,
            Ok(false) => report.unchanged += 1,
            Err(Refusal::Row(reason)) => report.refused.push((index, reason)),
            Err(Refusal::Storage(error)) => return Err(error),
        }
    }
    batch.pending.store(write, &batch.known, now)?;
    for listing in &batch.moved {
        // Their proposals were about another home (S-47).
        proposals::delete_proposals_of_listing(write, *listing)?;
    }
    batch
        .unsettled
        .leave_out(|listing| batch.known.is_new(listing));
    report.holders = batch.unsettled.settle(write, now, holders)?;
    Ok(report)
}

impl Batch {
    fn apply_row(&mut self, write: &mut Write<'_>, row: &Row) -> Applied {
        match row {
            Row::Property(row) => self.apply_property(row),
            Row::Branch(row) => self.apply_branch(write, row),
            Row::Listing(row) => self.apply_listing(write, row),
            Row::Party(row) => self.apply_party(row),
            Row::Link(row) => self.apply_link(row),
            Row::Milestone(row) => self.apply_milestone(row),
            Row::EndCheck(row) => self.apply_end_check(row),
        }
    }

    /// Branches are few, so each is stored at once.
    fn apply_branch(&mut self, write: &mut Write<'_>, row: &BranchRow) -> Applied {
        let participant = &row.participant;
        let participant_id = self
            .known
            .ensure_participant(write, participant, self.now)?;
        let Some(found) = self.known.branches.get_mut(&row.branch) else {
            let id = branch::insert_branch(write, participant_id, &row.branch, &row.name)?;
            let branch = Branch {
                id,
                reference: row.branch.clone(),
                name: row.name.clone(),
                participant_id,
            };
            self.known.branches.insert(row.branch.clone(), branch);
            return Ok(true);
        };
        if found.name == row.name && found.participant_id == participant_id {
            return Ok(false);
        }
        found.name.clone_from(&row.name);
        found.participant_id = participant_id;
        branch::update_branch(write, found, self.now)?;
        Ok(true)
    }

    fn apply_listing(&mut self, write: &mut Write<'_>, row: &ListingRow) -> Applied {
        self.known.branch(&row.branch)?;
        let Some(property) = self.known.properties.get(&row.uprn) else {
            let uprn = row.uprn;
            return refuse(format!(
                "property {uprn} is not known: put its row before this one"
            ));
        };
        let property = property.id;
        let mut details = details_of(row, property);
        let Some(listing) = self.known.find_listing(&row.branch, &row.listing) else {
            self.add_listing(row, details)?;
            return Ok(true);
        };
        let found = &listing.found;
        if found.is_deleted {
            return refuse(format!("listing `{}` was withdrawn", row.listing));
        }
        if row.seller_conveyancer.is_none() {
            details
                .seller_conveyancer
                .clone_from(&found.details.seller_conveyancer);
        }
        if row.buyer_conveyancer.is_none() {
            details
                .buyer_conveyancer
                .clone_from(&found.details.buyer_conveyancer);
        }
        if found.details == details {
            return Ok(false);
        }
        let (id, before) = (found.id, found.details.property);
        if before != property {
            self.move_listing(write, row, id, [before, property])?;
        }
        self.change_details(id, details);
        Ok(true)
    }

    /// Moves a listing from the first property to the second, unless it is a sale of the first (S-56).
    fn move_listing(
        &mut self,
        write: &mut Write<'_>,
        row: &ListingRow,
        id: ListingId,
        [before, after]: [PropertyId; 2],
    ) -> Result<(), Refusal> {
        if self.pending.names_a_sale(id) || listings::names_a_sale(write, id)? {
            return Err(Refusal::Row(format!(
                "listing `{}` was linked or has milestones, so it cannot move to property {}: give \
                 that sale another `listing`",
                row.listing, row.uprn
            )));
        }
        self.move_member(id, after)?;
        self.unsettled.note_property(before);
        self.unsettled.note(id, after);
        self.moved.push(id);
        Ok(())
    }

    fn add_listing(&mut self, row: &ListingRow, details: ListingDetails) -> Result<(), Refusal> {
        let branch = self.known.branch(&row.branch)?;
        let (id, chain) = (self.pending.next_listing()?, ChainId(Uuid::new_v4()));
        self.unsettled.note_property(details.property);
        self.pending.add_listing(id, chain);
        let member = Member {
            listing: id,
            property: details.property,
            branch,
            is_locked: false,
            top_checked: false,
            bottom_checked: false,
            checked_by: [None; 2],
        };
        self.put_chain(Chain::new(chain, vec![member], Vec::new()))?;
        let found = FoundListing {
            id,
            chain,
            details,
            created_at: row.created_at.unwrap_or(self.now),
            is_deleted: false,
        };
        self.known.add_listing(KnownListing {
            found,
            branch,
            reference: row.listing.clone(),
            is_new: true,
            written: Written::Unwritten,
        });
        Ok(())
    }

    fn change_details(&mut self, listing: ListingId, details: ListingDetails) {
        self.known.write_to(listing, Written::Changed);
        if let Some(known) = self.known.listings.get_mut(&listing) {
            known.found.details = details;
            self.pending.touch(known.found.chain);
        }
    }

    fn apply_party(&mut self, row: &PartyRow) -> Applied {
        let found = &self.known.listing(&row.branch, &row.listing)?.found;
        let (id, mut details) = (found.id, found.details.clone());
        let name = match row.role {
            PartyRole::SellerConveyancer => &mut details.seller_conveyancer,
            PartyRole::BuyerConveyancer => &mut details.buyer_conveyancer,
        };
        if *name == row.name {
            return Ok(false);
        }
        name.clone_from(&row.name);
        self.change_details(id, details);
        Ok(true)
    }

    fn apply_milestone(&mut self, row: &MilestoneRow) -> Applied {
        let kind = row.milestone_type;
        let dates = kind.dates(self.today);
        if !dates.contains(&row.date) {
            let (key, date) = (kind.key, row.date);
            let (first, last) = (dates.start(), dates.end());
            return refuse(format!(
                "{key} cannot have the date {date}: write one from {first} to {last}"
            ));
        }
        let found = &self.known.listing(&row.branch, &row.listing)?.found;
        let (listing, chain, property) = (found.id, found.chain, found.details.property);
        let stored = self.known.dates.insert((listing, kind.key), Some(row.date));
        if stored == Some(Some(row.date)) {
            return Ok(false);
        }
        let milestone = NewMilestone {
            listing,
            kind,
            date: row.date,
            origin: Origin::Import,
        };
        self.pending.put_milestone(milestone, stored.is_some());
        self.known.write_to(listing, Written::Touched);
        self.pending.touch(chain);
        if Offer::depends_on(kind) {
            self.unsettled.note(listing, property);
        }
        Ok(true)
    }
}

fn details_of(row: &ListingRow, property: PropertyId) -> ListingDetails {
    let words: Vec<_> = row
        .transaction_type
        .iter()
        .map(|kind| kind.as_str())
        .collect();
    ListingDetails {
        property,
        price: row.price,
        tenure: row.tenure.map_or("", |tenure| tenure.as_str()).to_owned(),
        transaction_type: words.join(" "),
        seller_conveyancer: row.seller_conveyancer.clone().unwrap_or_default(),
        buyer_conveyancer: row.buyer_conveyancer.clone().unwrap_or_default(),
    }
}

fn refuse(reason: String) -> Applied {
    Err(Refusal::Row(reason))
}
