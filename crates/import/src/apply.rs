//! Applies rows to the store. Applying a row twice has the same effect as applying it once.

mod property;
mod unsettled;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use chain::current::Offer;
use chain::ends::End;
use chain::ids::{BranchId, ChainId, ListingId};
use chain::link::{self, LinkRefusal, LinkRule};
use chain::london::date_in_london;
use chain::milestone::Origin;
use chain::state::{Chain, Link};
use jiff::civil::Date;
use storage::branch::{self, Branch};
use storage::listings::{self, FoundListing, ListingDetails, ListingOrigin};
use storage::milestones::{self, NewMilestone};
use storage::properties;
use storage::{StorageError, Write, chains, changes, end_checks, links, participants, state};
use uuid::Uuid;

use self::property::apply_property;
pub use self::property::new_property;
pub use self::unsettled::Holders;
use self::unsettled::Unsettled;
use super::row::{
    BranchRow, ChainEnd, EndCheckRow, LinkRow, ListingRow, MilestoneRow, PartyRole, PartyRow, Row,
};

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

/// The rows of one transaction. Its caches hold only data that this transaction read or wrote, so
/// each run of the transaction needs a new batch.
#[derive(Debug)]
pub struct Batch {
    now: i64,
    /// The date in London.
    today: Date,
    branches: HashMap<String, BranchId>,
    listings: HashMap<(BranchId, String), FoundListing>,
    /// Chains that changed; each gets one new version at the end.
    touched: BTreeSet<ChainId>,
    unsettled: Unsettled,
    holders: Arc<Holders>,
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

impl Batch {
    /// An empty batch at this Unix time. `holders` are from the earlier batches of the import.
    pub fn new(now: i64, holders: Arc<Holders>) -> Self {
        Self {
            now,
            today: date_in_london(now).unwrap_or(Date::MAX),
            branches: HashMap::new(),
            listings: HashMap::new(),
            touched: BTreeSet::new(),
            unsettled: Unsettled::default(),
            holders,
        }
    }

    /// Applies the rows in order; a refused row changes nothing.
    pub fn apply(
        mut self,
        write: &mut Write<'_>,
        rows: &[Row],
    ) -> Result<BatchReport, StorageError> {
        let mut report = BatchReport::default();
        for (index, row) in rows.iter().enumerate() {
            match self.apply_row(write, row) {
                Ok(true) => report.changed += 1,
                Ok(false) => report.unchanged += 1,
                Err(Refusal::Row(reason)) => report.refused.push((index, reason)),
                Err(Refusal::Storage(error)) => return Err(error),
            }
        }
        for chain in &self.touched {
            chains::raise_version(write, *chain)?;
        }
        report.holders = self.unsettled.settle(write, self.now, &self.holders)?;
        Ok(report)
    }

    fn apply_row(&mut self, write: &mut Write<'_>, row: &Row) -> Applied {
        match row {
            Row::Property(row) => Ok(apply_property(write, row)?),
            Row::Branch(row) => self.apply_branch(write, row),
            Row::Listing(row) => self.apply_listing(write, row),
            Row::Party(row) => self.apply_party(write, row),
            Row::Link(row) => self.apply_link(write, row),
            Row::Milestone(row) => self.apply_milestone(write, row),
            Row::EndCheck(row) => self.apply_end_check(write, row),
        }
    }

    fn apply_branch(&mut self, write: &mut Write<'_>, row: &BranchRow) -> Applied {
        let organisation = Uuid::new_v4().to_string();
        let participant =
            participants::ensure_participant(write, &row.participant, &organisation, self.now)?;
        let Some(found) = branch::find_branch_by_reference(write, &row.branch)? else {
            let id = branch::insert_branch(write, participant, &row.branch, &row.name)?;
            self.branches.insert(row.branch.clone(), id);
            return Ok(true);
        };
        if found.name == row.name && found.participant_id == participant {
            return Ok(false);
        }
        let changed = Branch {
            name: row.name.clone(),
            participant_id: participant,
            ..found
        };
        branch::update_branch(write, &changed)?;
        Ok(true)
    }

    fn apply_listing(&mut self, write: &mut Write<'_>, row: &ListingRow) -> Applied {
        let branch = self.find_branch(write, &row.branch)?;
        let Some(property) = properties::find_property_by_uprn(write, row.uprn)? else {
            let uprn = row.uprn;
            return refuse(format!(
                "property {uprn} is not known: put its row before this one"
            ));
        };
        let words: Vec<_> = row
            .transaction_type
            .iter()
            .map(|kind| kind.as_str())
            .collect();
        let mut details = ListingDetails {
            property,
            price: row.price,
            tenure: row.tenure.map_or("", |tenure| tenure.as_str()).to_owned(),
            transaction_type: words.join(" "),
            seller_conveyancer: row.seller_conveyancer.clone().unwrap_or_default(),
            buyer_conveyancer: row.buyer_conveyancer.clone().unwrap_or_default(),
        };
        let known = listings::find_listing_by_external_id(write, branch, &row.listing)?;
        let Some(mut found) = known else {
            self.insert_listing(write, branch, row, &details)?;
            return Ok(true);
        };
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
        listings::update_listing(write, found.id, &details, self.now)?;
        self.touched.insert(found.chain);
        if found.details.property != property {
            self.unsettled.note_property(found.details.property);
            self.unsettled.note(found.id, property);
        }
        found.details = details;
        self.listings.insert((branch, row.listing.clone()), found);
        Ok(true)
    }

    fn insert_listing(
        &mut self,
        write: &mut Write<'_>,
        branch: BranchId,
        row: &ListingRow,
        details: &ListingDetails,
    ) -> Result<(), StorageError> {
        let chain = ChainId(Uuid::new_v4());
        chains::insert_chain(write, chain)?;
        let origin = ListingOrigin {
            branch,
            external_id: Some(&row.listing),
            chain,
            created_at: row.created_at.unwrap_or(self.now),
        };
        let id = listings::insert_listing(write, &origin, details)?;
        self.unsettled.note(id, details.property);
        let found = FoundListing {
            id,
            chain,
            details: details.clone(),
            created_at: origin.created_at,
            is_deleted: false,
        };
        self.listings.insert((branch, row.listing.clone()), found);
        Ok(())
    }

    fn apply_party(&mut self, write: &mut Write<'_>, row: &PartyRow) -> Applied {
        let mut found = self.find_listing(write, &row.branch, &row.listing)?;
        let name = match row.role {
            PartyRole::SellerConveyancer => &mut found.details.seller_conveyancer,
            PartyRole::BuyerConveyancer => &mut found.details.buyer_conveyancer,
        };
        if *name == row.name {
            return Ok(false);
        }
        name.clone_from(&row.name);
        listings::update_listing(write, found.id, &found.details, self.now)?;
        self.touched.insert(found.chain);
        // The cached listing is out of date now.
        self.listings.clear();
        Ok(true)
    }

    fn apply_link(&mut self, write: &mut Write<'_>, row: &LinkRow) -> Applied {
        let seller = self.find_listing(write, &row.seller_branch, &row.seller)?;
        let buyer = self.find_listing(write, &row.buyer_branch, &row.buyer)?;
        let wanted = Link {
            seller: seller.id,
            buyer: buyer.id,
        };
        if links::link_exists(write, wanted)? {
            return Ok(false);
        }
        let rule = if row.split {
            LinkRule::Split
        } else {
            LinkRule::OneToOne
        };
        let sellers = find_chain_of(write, seller.id)?;
        let buyers = find_chain_of(write, buyer.id)?;
        let join = link::join(&sellers, &buyers, wanted, rule)
            .map_err(|refusal| Refusal::Row(describe_refusal(&refusal, row, wanted)))?;
        changes::store_join(write, &join, self.now)?;
        self.unsettled.note(seller.id, seller.details.property);
        self.unsettled.note(buyer.id, buyer.details.property);
        if let Some((dissolved, _moved)) = &join.dissolved {
            self.touched.remove(dissolved);
            for known in self.listings.values_mut() {
                if known.chain == *dissolved {
                    known.chain = join.survivor;
                }
            }
        }
        Ok(true)
    }

    fn apply_milestone(&mut self, write: &mut Write<'_>, row: &MilestoneRow) -> Applied {
        let dates = row.milestone_type.dates(self.today);
        if !dates.contains(&row.date) {
            let (key, date) = (row.milestone_type.key, row.date);
            let (first, last) = (dates.start(), dates.end());
            return refuse(format!(
                "{key} cannot have the date {date}: write one from {first} to {last}"
            ));
        }
        let found = self.find_listing(write, &row.branch, &row.listing)?;
        let milestone = NewMilestone {
            listing: found.id,
            kind: row.milestone_type,
            date: row.date,
            origin: Origin::Import,
        };
        let changed = milestones::record_milestone(write, &milestone, self.now)?;
        if changed {
            listings::touch_listing(write, found.id, self.now)?;
            self.touched.insert(found.chain);
            if Offer::depends_on(row.milestone_type) {
                self.unsettled.note(found.id, found.details.property);
            }
        }
        Ok(changed)
    }

    fn apply_end_check(&mut self, write: &mut Write<'_>, row: &EndCheckRow) -> Applied {
        let found = self.find_listing(write, &row.branch, &row.listing)?;
        let chain = find_chain_of(write, found.id)?;
        let (end, ends, beyond) = match row.end {
            ChainEnd::Top => (End::Top, chain.tops(), "above"),
            ChainEnd::Bottom => (End::Bottom, chain.bottoms(), "below"),
        };
        if !ends.contains(&found.id) {
            return refuse(format!(
                "listing `{}` is not the {end} of its chain: something is linked {beyond} it",
                row.listing
            ));
        }
        let member = chain.member(found.id);
        if member.is_some_and(|member| end.is_marked(member)) {
            return Ok(false);
        }
        if member.is_some_and(|member| member.is_locked) {
            return refuse(format!(
                "listing `{}` is locked; unlock it first",
                row.listing
            ));
        }
        let branch = member.map(|member| member.branch);
        let changed = end_checks::insert_end_check(write, found.id, end, branch, self.now)?;
        if changed {
            self.touched.insert(found.chain);
        }
        Ok(changed)
    }

    fn find_branch(&mut self, write: &mut Write<'_>, reference: &str) -> Result<BranchId, Refusal> {
        if let Some(id) = self.branches.get(reference) {
            return Ok(*id);
        }
        let Some(found) = branch::find_branch_by_reference(write, reference)? else {
            return Err(Refusal::Row(format!(
                "branch `{reference}` is not known: put its row before this one"
            )));
        };
        self.branches.insert(reference.to_owned(), found.id);
        Ok(found.id)
    }

    fn find_listing(
        &mut self,
        write: &mut Write<'_>,
        branch: &str,
        reference: &str,
    ) -> Result<FoundListing, Refusal> {
        let branch_id = self.find_branch(write, branch)?;
        let key = (branch_id, reference.to_owned());
        if let Some(found) = self.listings.get(&key) {
            return Ok(found.clone());
        }
        let found = listings::find_listing_by_external_id(write, branch_id, reference)?;
        let Some(found) = found.filter(|found| !found.is_deleted) else {
            return Err(Refusal::Row(format!(
                "listing `{reference}` of branch `{branch}` is not known: put its row before this one"
            )));
        };
        self.listings.insert(key, found.clone());
        Ok(found)
    }
}

fn find_chain_of(write: &mut Write<'_>, listing: ListingId) -> Result<Chain, Refusal> {
    let found = match chains::find_chain_of_listing(write, listing)? {
        Some(id) => state::find_chain(write, id)?,
        None => None,
    };
    found.ok_or_else(|| {
        Refusal::Storage(StorageError::Corrupt(format!(
            "listing {listing} has no chain"
        )))
    })
}

/// Names the two listings as the row does.
fn describe_refusal(refusal: &LinkRefusal, row: &LinkRow, link: Link) -> String {
    refusal.describe(|listing| {
        let (name, branch) = if listing == link.seller {
            (&row.seller, &row.seller_branch)
        } else {
            (&row.buyer, &row.buyer_branch)
        };
        format!("`{name}` of branch `{branch}`")
    })
}

fn refuse(reason: String) -> Applied {
    Err(Refusal::Row(reason))
}
