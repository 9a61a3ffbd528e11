//! The stored rows that a batch names, and the changes that the batch makes to them.

use std::collections::{BTreeSet, HashMap};

use chain::current::Offer;
use chain::ids::{BranchId, ChainId, ListingId, PropertyId, Uprn};
use chain::milestone::MilestoneType;
use chain::state::Chain;
use jiff::civil::Date;
use storage::batches::{self, FoundMilestone};
use storage::branch::Branch;
use storage::listings::FoundListing;
use storage::properties::{Address, StoredProperty};
use storage::{StorageError, Write, participants};

use super::{Refusal, Row};

/// The milestones that decide whether a listing is under offer.
const SSTC: &str = "sstc";
const FALL_THROUGH: &str = "fall_through";
const COMPLETION: &str = "completion";

/// A property that a batch names.
#[derive(Debug)]
pub(super) struct KnownProperty {
    pub(super) id: PropertyId,
    pub(super) address: Address,
    pub(super) is_verified: bool,
    pub(super) is_new: bool,
}

/// A listing that a batch names.
#[derive(Debug)]
pub(super) struct KnownListing {
    pub(super) found: FoundListing,
    pub(super) branch: BranchId,
    pub(super) reference: String,
    pub(super) is_new: bool,
    pub(super) written: Written,
}

/// How a batch wrote to a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Written {
    /// Not at all.
    Unwritten,
    /// Only beside it: its links or milestones.
    Touched,
    /// Its details.
    Changed,
}

/// The latest state of a milestone.
pub(super) type MilestoneKey = (ListingId, &'static str);

/// Everything that the rows of a batch name, as the transaction sees it.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) branches: HashMap<String, Branch>,
    pub(super) properties: HashMap<Uprn, KnownProperty>,
    /// Properties with placeholders, by the UPRN that a row gives to their home.
    pub(super) placeholders: HashMap<Uprn, Vec<PropertyId>>,
    pub(super) listings: HashMap<ListingId, KnownListing>,
    listing_ids: HashMap<BranchId, HashMap<String, ListingId>>,
    /// The dates of milestones. `None`: reopened or withdrawn.
    pub(super) dates: HashMap<MilestoneKey, Option<Date>>,
    pub(super) chains: HashMap<ChainId, Chain>,
    participants: HashMap<String, i64>,
}

impl Known {
    /// Reads everything in a few statements.
    pub(super) fn load(write: &mut Write<'_>, rows: &[Row]) -> Result<Self, StorageError> {
        let mut known = Self::default();
        known.load_branches(write, rows)?;
        known.load_properties(write, rows)?;
        known.load_placeholders(write, rows)?;
        known.load_listings(write, rows)?;
        known.load_milestones(write, rows)?;
        known.load_chains(write, rows)?;
        Ok(known)
    }

    fn load_branches(&mut self, write: &mut Write<'_>, rows: &[Row]) -> Result<(), StorageError> {
        let references: BTreeSet<&str> = rows.iter().flat_map(branches_of).flatten().collect();
        let references: Vec<_> = references.into_iter().collect();
        let found = batches::find_branches(write, &references)?;
        let found = found
            .into_iter()
            .map(|found| (found.reference.clone(), found));
        self.branches = found.collect();
        Ok(())
    }

    fn load_properties(&mut self, write: &mut Write<'_>, rows: &[Row]) -> Result<(), StorageError> {
        let uprns: BTreeSet<Uprn> = rows.iter().filter_map(uprn_of).collect();
        let uprns: Vec<_> = uprns.into_iter().collect();
        let found = batches::find_properties(write, &uprns)?;
        let found = found
            .into_iter()
            .map(|found| (found.uprn, known_property(found)));
        self.properties = found.collect();
        Ok(())
    }

    fn load_listings(&mut self, write: &mut Write<'_>, rows: &[Row]) -> Result<(), StorageError> {
        let named: BTreeSet<_> = rows.iter().flat_map(listings_of).flatten().collect();
        let keys = named.into_iter().filter_map(|(branch, reference)| {
            let branch = self.branches.get(branch)?;
            Some((branch.id, reference))
        });
        let keys: Vec<_> = keys.collect();
        for ((branch, reference), found) in batches::find_listings(write, &keys)? {
            self.add_listing(KnownListing {
                found,
                branch,
                reference,
                is_new: false,
                written: Written::Unwritten,
            });
        }
        Ok(())
    }

    fn load_milestones(&mut self, write: &mut Write<'_>, rows: &[Row]) -> Result<(), StorageError> {
        let mut keys: HashMap<MilestoneKey, &'static MilestoneType> = HashMap::new();
        for row in rows {
            if let Row::Milestone(row) = row
                && let Some(listing) = self.find_listing(&row.branch, &row.listing)
            {
                let kind = row.milestone_type;
                keys.insert((listing.found.id, kind.key), kind);
            }
        }
        let keys: Vec<_> = keys
            .into_iter()
            .map(|((listing, _key), kind)| (listing, kind))
            .collect();
        for found in batches::find_milestones(write, &keys)? {
            let FoundMilestone { listing, kind, .. } = found;
            let date = found.date.filter(|_| !found.is_withdrawn);
            self.dates.insert((listing, kind.key), date);
        }
        Ok(())
    }

    /// Only links and ends depend on chains.
    fn load_chains(&mut self, write: &mut Write<'_>, rows: &[Row]) -> Result<(), StorageError> {
        let rows = rows.iter();
        let rows = rows.filter(|row| matches!(row, Row::Link(_) | Row::EndCheck(_)));
        let named = rows.flat_map(listings_of).flatten();
        let chains: BTreeSet<ChainId> = named
            .filter_map(|(branch, reference)| self.find_listing(branch, reference))
            .filter(|listing| !listing.found.is_deleted)
            .map(|listing| listing.found.chain)
            .collect();
        let chains: Vec<_> = chains.into_iter().collect();
        let found = batches::find_chains(write, &chains)?;
        self.chains = found.into_iter().map(|chain| (chain.id(), chain)).collect();
        Ok(())
    }

    /// The participant with this name, which is added if there is none.
    pub(super) fn ensure_participant(
        &mut self,
        write: &mut Write<'_>,
        name: &str,
        now: i64,
    ) -> Result<i64, StorageError> {
        if let Some(id) = self.participants.get(name) {
            return Ok(*id);
        }
        let organisation = uuid::Uuid::new_v4().to_string();
        let id = participants::ensure_participant(write, name, &organisation, now)?;
        self.participants.insert(name.to_owned(), id);
        Ok(id)
    }

    pub(super) fn branch(&self, reference: &str) -> Result<BranchId, Refusal> {
        let found = self.branches.get(reference).map(|branch| branch.id);
        found.ok_or_else(|| {
            Refusal::Row(format!(
                "branch `{reference}` is not known: put its row before this one"
            ))
        })
    }

    pub(super) fn add_listing(&mut self, listing: KnownListing) {
        let of_branch = self.listing_ids.entry(listing.branch).or_default();
        of_branch.insert(listing.reference.clone(), listing.found.id);
        self.listings.insert(listing.found.id, listing);
    }

    /// The listing of a row, even a deleted one.
    pub(super) fn find_listing(&self, branch: &str, reference: &str) -> Option<&KnownListing> {
        let branch = self.branches.get(branch)?;
        let id = self.listing_ids.get(&branch.id)?.get(reference)?;
        self.listings.get(id)
    }

    pub(super) fn listing(&self, branch: &str, reference: &str) -> Result<&KnownListing, Refusal> {
        self.branch(branch)?;
        let found = self.find_listing(branch, reference);
        let found = found.filter(|listing| !listing.found.is_deleted);
        found.ok_or_else(|| {
            Refusal::Row(format!(
                "listing `{reference}` of branch `{branch}` is not known: put its row before this one"
            ))
        })
    }

    /// Notes that a batch wrote to a listing.
    pub(super) fn write_to(&mut self, listing: ListingId, written: Written) {
        if let Some(known) = self.listings.get_mut(&listing) {
            known.written = known.written.max(written);
        }
    }

    /// The chain of a listing that a link or end row names.
    pub(super) fn chain_of(&self, listing: ListingId) -> Result<&Chain, StorageError> {
        let known = self.listings.get(&listing);
        let chain = known.and_then(|known| self.chains.get(&known.found.chain));
        let missing = || StorageError::Corrupt(format!("listing {listing} has no chain"));
        chain.ok_or_else(missing)
    }

    pub(super) fn is_new(&self, listing: ListingId) -> bool {
        let known = self.listings.get(&listing);
        known.is_some_and(|known| known.is_new)
    }

    /// Whether a listing of this batch is under offer (S-6). All its milestones are of this batch too.
    pub(super) fn offer_of_new(&self, listing: ListingId, is_linked: bool) -> Offer {
        let date = |key| self.dates.get(&(listing, key)).copied().flatten();
        Offer {
            is_deleted: false,
            is_linked,
            sstc: date(SSTC),
            fall_through: date(FALL_THROUGH),
            is_completed: date(COMPLETION).is_some(),
        }
    }

    /// How many properties the rows may add.
    pub(super) fn count_new_properties(&self, rows: &[Row]) -> usize {
        let uprns: BTreeSet<Uprn> = rows
            .iter()
            .filter(|row| matches!(row, Row::Property(_)))
            .filter_map(uprn_of)
            .filter(|uprn| !self.properties.contains_key(uprn))
            .collect();
        uprns.len()
    }

    /// How many listings the rows may add.
    pub(super) fn count_new_listings(&self, rows: &[Row]) -> usize {
        let rows = rows.iter().filter(|row| matches!(row, Row::Listing(_)));
        let named = rows.flat_map(listings_of).flatten();
        let new = named.filter(|(branch, listing)| self.find_listing(branch, listing).is_none());
        new.collect::<BTreeSet<_>>().len()
    }
}

fn known_property(found: StoredProperty) -> KnownProperty {
    KnownProperty {
        id: found.id,
        address: found.address,
        is_verified: found.is_verified,
        is_new: false,
    }
}

fn branches_of(row: &Row) -> [Option<&str>; 2] {
    match row {
        Row::Branch(row) => [Some(&row.branch), None],
        Row::Property(_) => [None, None],
        Row::Listing(_) | Row::Party(_) | Row::Link(_) | Row::Milestone(_) | Row::EndCheck(_) => {
            listings_of(row).map(|listing| listing.map(|(branch, _)| branch))
        }
    }
}

fn uprn_of(row: &Row) -> Option<Uprn> {
    match row {
        Row::Property(row) => Some(row.uprn),
        Row::Listing(row) => Some(row.uprn),
        Row::Branch(_) | Row::Party(_) | Row::Link(_) | Row::Milestone(_) | Row::EndCheck(_) => {
            None
        }
    }
}

/// The branches and references of the listings that a row names.
fn listings_of(row: &Row) -> [Option<(&str, &str)>; 2] {
    let (branch, listing) = match row {
        Row::Link(row) => {
            return [
                Some((&row.seller_branch, &row.seller)),
                Some((&row.buyer_branch, &row.buyer)),
            ];
        }
        Row::Property(_) | Row::Branch(_) => return [None, None],
        Row::Listing(row) => (&row.branch, &row.listing),
        Row::Party(row) => (&row.branch, &row.listing),
        Row::Milestone(row) => (&row.branch, &row.listing),
        Row::EndCheck(row) => (&row.branch, &row.listing),
    };
    [Some((branch, listing)), None]
}
