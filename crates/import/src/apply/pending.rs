//! The changes of a batch, which it stores all at once at its end.

use std::collections::{BTreeSet, HashMap, HashSet};

use chain::ends::End;
use chain::ids::{BranchId, ChainId, ListingId, PropertyId, Uprn};
use chain::link::Join;
use chain::milestone::MilestoneType;
use chain::state::Link;
use storage::batches::{self, NewListing, NewMilestone, Numbered};
use storage::history::NewEntry;
use storage::properties::NewProperty;
use storage::{StorageError, Write, chains};

use super::ACTOR;
use super::known::{Known, KnownListing, MilestoneKey, Written};

/// The milestone that a listing may have before it moves to another property.
const PROPERTY_LISTED: &str = "property_listed";

/// Changes that are not stored yet. Details of listings are in [`Known`].
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// Reserved ids, the lowest last.
    property_ids: Vec<PropertyId>,
    listing_ids: Vec<ListingId>,
    /// The newest addresses of properties, in the order of their rows.
    properties: Vec<(PropertyId, NewProperty)>,
    places: HashMap<Uprn, usize>,
    numbered: Vec<Numbered>,
    /// Listings of this batch, in the order of their rows.
    listings: Vec<ListingId>,
    /// Chains of this batch that no link has dissolved.
    new_chains: BTreeSet<ChainId>,
    /// Stored chains that links have dissolved.
    dissolved: Vec<ChainId>,
    /// The chain that each dissolved one became a part of.
    survivors: HashMap<ChainId, ChainId>,
    links: Vec<Link>,
    /// The listings of these links.
    linked: BTreeSet<ListingId>,
    cleared: HashSet<(ListingId, End)>,
    checks: HashMap<(ListingId, End), Option<BranchId>>,
    /// Milestones in the order of their rows, and whether the store has a row for them.
    milestones: Vec<(NewMilestone, bool)>,
    milestone_places: HashMap<MilestoneKey, usize>,
    /// Chains that changed; each stored one gets a new version.
    touched: BTreeSet<ChainId>,
}

impl Pending {
    /// Reserves ids for so many new properties and listings.
    pub(super) fn reserve(
        write: &mut Write<'_>,
        properties: usize,
        listings: usize,
    ) -> Result<Self, StorageError> {
        let mut pending = Self::default();
        if properties > 0 {
            pending.property_ids = batches::reserve_properties(write, properties)?;
            pending.property_ids.reverse();
        }
        if listings > 0 {
            pending.listing_ids = batches::reserve_listings(write, listings)?;
            pending.listing_ids.reverse();
        }
        Ok(pending)
    }

    pub(super) fn next_property(&mut self) -> Result<PropertyId, StorageError> {
        self.property_ids.pop().ok_or_else(used_up)
    }

    pub(super) fn next_listing(&mut self) -> Result<ListingId, StorageError> {
        self.listing_ids.pop().ok_or_else(used_up)
    }

    pub(super) fn put_property(&mut self, id: PropertyId, property: NewProperty) {
        if let Some(place) = self.places.get(&property.uprn) {
            self.properties[*place] = (id, property);
            return;
        }
        self.places.insert(property.uprn, self.properties.len());
        self.properties.push((id, property));
    }

    pub(super) fn number_placeholder(
        &mut self,
        property: PropertyId,
        uprn: Uprn,
        home: Option<PropertyId>,
    ) {
        self.numbered.push(Numbered {
            property,
            uprn,
            home,
        });
    }

    pub(super) fn add_listing(&mut self, listing: ListingId, chain: ChainId) {
        self.listings.push(listing);
        self.new_chains.insert(chain);
    }

    pub(super) fn touch(&mut self, chain: ChainId) {
        self.touched.insert(chain);
    }

    pub(super) fn add_link(&mut self, join: &Join) {
        self.links.push(join.link);
        self.linked.extend([join.link.seller, join.link.buyer]);
        for (listing, end) in &join.cleared {
            self.clear_end_check(*listing, *end);
        }
        if let Some((dissolved, _moved)) = &join.dissolved {
            self.survivors.insert(*dissolved, join.survivor);
            self.touched.remove(dissolved);
            if !self.new_chains.remove(dissolved) {
                self.dissolved.push(*dissolved);
            }
        }
        self.touch(join.survivor);
    }

    pub(super) fn add_end_check(&mut self, listing: ListingId, end: End, branch: Option<BranchId>) {
        self.checks.insert((listing, end), branch);
    }

    pub(super) fn clear_end_check(&mut self, listing: ListingId, end: End) {
        self.checks.remove(&(listing, end));
        self.cleared.insert((listing, end));
    }

    /// Whether this batch makes a listing the sale of one property (S-56).
    pub(super) fn names_a_sale(&self, listing: ListingId) -> bool {
        let is_sale = |kind: &MilestoneType| kind.key != PROPERTY_LISTED;
        let mut milestones = self.milestones.iter();
        self.linked.contains(&listing)
            || milestones.any(|(new, _)| new.listing == listing && is_sale(new.kind))
    }

    pub(super) fn put_milestone(&mut self, milestone: NewMilestone, is_stored: bool) {
        let key = (milestone.listing, milestone.kind.key);
        if let Some(place) = self.milestone_places.get(&key) {
            self.milestones[*place].0 = milestone;
            return;
        }
        self.milestone_places.insert(key, self.milestones.len());
        self.milestones.push((milestone, is_stored));
    }

    /// Stores everything. What others refer to comes first.
    pub(super) fn store(
        mut self,
        write: &mut Write<'_>,
        known: &Known,
        now: i64,
    ) -> Result<(), StorageError> {
        let time = self.begin_changes(write, known, now)?;
        let chains: Vec<_> = self.new_chains.iter().copied().collect();
        batches::insert_chains(write, &chains, time)?;
        self.store_properties(write, known)?;
        self.store_listings(write, known, now)?;
        batches::number_placeholders(write, &self.numbered)?;
        self.merge_chains(write, time)?;
        let earlier: Vec<_> = self
            .linked
            .iter()
            .copied()
            .filter(|id| !known.is_new(*id))
            .collect();
        batches::insert_links(write, &self.links, &earlier, now)?;
        let cleared: Vec<_> = self.cleared.drain().collect();
        let checks = self.checks.drain();
        let checks: Vec<_> = checks
            .map(|((listing, end), branch)| (listing, end, branch))
            .collect();
        batches::change_end_checks(write, &cleared, &checks, now)?;
        let (changed, new): (Vec<_>, Vec<_>) = self
            .milestones
            .into_iter()
            .partition(|(_, is_stored)| *is_stored);
        let milestones = |part: Vec<(NewMilestone, bool)>| -> Vec<NewMilestone> {
            part.into_iter().map(|(milestone, _)| milestone).collect()
        };
        batches::insert_milestones(write, &milestones(new), now)?;
        batches::change_milestones(write, &milestones(changed), now)?;
        note_links(write, &self.links, known, now)
    }

    /// Begins the changes of all stored chains that this batch changes or dissolves. Returns their time.
    fn begin_changes(
        &self,
        write: &mut Write<'_>,
        known: &Known,
        now: i64,
    ) -> Result<i64, StorageError> {
        let changed = self.properties.iter().filter(|(_, property)| {
            let known = known.properties.get(&property.uprn);
            !known.is_some_and(|known| known.is_new)
        });
        let changed = changed.map(|(id, _)| *id);
        let numbered = self.numbered.iter().map(|numbered| numbered.property);
        let changed: Vec<_> = changed.chain(numbered).collect();
        let mut chains = batches::find_chains_of_properties(write, &changed)?;
        chains.extend(self.touched.difference(&self.new_chains));
        chains.extend(&self.dissolved);
        chains::begin_changes(write, &chains, now)
    }

    fn store_properties(&self, write: &mut Write<'_>, known: &Known) -> Result<(), StorageError> {
        let properties = self.properties.iter().map(|(id, property)| (*id, property));
        let (new, changed): (Vec<_>, Vec<_>) = properties.partition(|(_id, property)| {
            let known = known.properties.get(&property.uprn);
            known.is_some_and(|known| known.is_new)
        });
        batches::insert_properties(write, &new)?;
        batches::change_properties(write, &changed)
    }

    fn store_listings(
        &self,
        write: &mut Write<'_>,
        known: &Known,
        now: i64,
    ) -> Result<(), StorageError> {
        let new = self.listings.iter().filter_map(|id| known.listings.get(id));
        let new: Vec<_> = new
            .map(|listing| self.new_listing(known, listing, now))
            .collect();
        batches::insert_listings(write, &new)?;
        let stored = known.listings.values().filter(|listing| !listing.is_new);
        let (mut changed, mut touched) = (Vec::new(), Vec::new());
        for KnownListing { found, written, .. } in stored {
            match written {
                Written::Unwritten => {}
                Written::Touched => touched.push(found.id),
                Written::Changed => changed.push((found.id, &found.details)),
            }
        }
        batches::change_listings(write, &changed, now)?;
        batches::touch_listings(write, &touched, now)
    }

    fn new_listing<'a>(
        &self,
        known: &Known,
        listing: &'a KnownListing,
        now: i64,
    ) -> NewListing<'a> {
        let found = &listing.found;
        let is_linked = self.linked.contains(&found.id);
        let offer = known.offer_of_new(found.id, is_linked);
        NewListing {
            id: found.id,
            branch: listing.branch,
            external_id: &listing.reference,
            chain: found.chain,
            details: &found.details,
            created_at: found.created_at,
            updated_at: match listing.written {
                Written::Unwritten => found.created_at,
                Written::Touched => found.created_at.max(now),
                Written::Changed => now,
            },
            is_linked,
            offer_since: offer.stands().then_some(now),
        }
    }

    fn merge_chains(&self, write: &mut Write<'_>, now: i64) -> Result<(), StorageError> {
        let merged = self.dissolved.iter();
        let merged: Vec<_> = merged
            .map(|dissolved| (self.last_survivor(*dissolved), *dissolved))
            .collect();
        batches::merge_chains(write, &merged, now)
    }

    fn last_survivor(&self, mut chain: ChainId) -> ChainId {
        // A dissolved chain never comes back, so this ends.
        while let Some(survivor) = self.survivors.get(&chain) {
            chain = *survivor;
        }
        chain
    }
}

/// Writes each link to the histories of both listings, in the chain that they have after the batch.
fn note_links(
    write: &mut Write<'_>,
    links: &[Link],
    known: &Known,
    now: i64,
) -> Result<(), StorageError> {
    let details = links.iter().map(|link| {
        let Link { seller, buyer } = link;
        format!(r#"{{"seller":{seller},"buyer":{buyer}}}"#)
    });
    let details: Vec<_> = details.collect();
    let mut entries = Vec::with_capacity(2 * links.len());
    for (link, detail) in links.iter().zip(&details) {
        for listing in [link.seller, link.buyer] {
            entries.push(NewEntry {
                listing,
                chain: known.chain_of(listing)?.id(),
                action: "link.added",
                actor: ACTOR,
                detail,
            });
        }
    }
    batches::append_lines(write, &entries, now)
}

fn used_up() -> StorageError {
    StorageError::Corrupt("a batch has more new rows than it has ids".to_owned())
}
