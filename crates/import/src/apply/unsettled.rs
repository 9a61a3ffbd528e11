//! Decides which listings are current after the rows of a batch (S-6).

use std::collections::{BTreeSet, HashMap};

use chain::ids::{ListingId, PropertyId};
use storage::batches::{self, Holder};
use storage::current_listings::Decision;
use storage::{StorageError, Write};

use super::ACTOR;

/// For properties that an import has written to: the place of the current listing before the import
/// (S-6). Thus the batches of an import decide together, however its rows fall into them.
pub type Holders = HashMap<PropertyId, Holder>;

/// Listings and properties to decide about.
#[derive(Debug, Default)]
pub(super) struct Unsettled {
    /// Stored listings with an offer that may have begun or ended.
    listings: BTreeSet<ListingId>,
    /// Properties with a current listing that may change.
    properties: BTreeSet<PropertyId>,
}

impl Unsettled {
    /// Notes a listing of a property.
    pub(super) fn note(&mut self, listing: ListingId, property: PropertyId) {
        self.listings.insert(listing);
        self.note_property(property);
    }

    /// Notes a property that a listing has left.
    pub(super) fn note_property(&mut self, property: PropertyId) {
        self.properties.insert(property);
    }

    /// Leaves out listings whose offers are stored with them.
    pub(super) fn leave_out(&mut self, is_decided: impl Fn(ListingId) -> bool) {
        self.listings.retain(|listing| !is_decided(*listing));
    }

    /// Decides. Returns the holders that are not in `known`.
    pub(super) fn settle(
        self,
        write: &mut Write<'_>,
        now: i64,
        known: &Holders,
    ) -> Result<Holders, StorageError> {
        let unknown = self.properties.iter().copied();
        let unknown: Vec<_> = unknown.filter(|id| !known.contains_key(id)).collect();
        let found = batches::find_holders(write, &unknown)?;
        let listings: Vec<_> = self.listings.into_iter().collect();
        batches::settle_listings(write, &listings, now)?;
        let decision = Decision {
            actor: ACTOR,
            now,
            detail: "{}",
        };
        let properties = self.properties.into_iter().map(|property| {
            let holder = known.get(&property).or_else(|| found.get(&property));
            (property, holder.copied().unwrap_or_default())
        });
        let properties: Vec<_> = properties.collect();
        batches::settle_properties(write, &decision, &properties)?;
        Ok(found)
    }
}
