//! Decides which listings are current after the rows of a batch (S-6).

use std::collections::{BTreeSet, HashMap};

use chain::ids::{ListingId, PropertyId};
use storage::current_listings::{self, Decision};
use storage::{StorageError, Write};

/// The actor of an import in the history.
const ACTOR: &str = "import";

/// For properties that an import has written to: the listing that was current and under offer before
/// the import (S-6). Thus the batches of an import decide together, however its rows fall into them.
pub type Holders = HashMap<PropertyId, Option<ListingId>>;

/// Listings and properties to decide about.
#[derive(Debug, Default)]
pub(super) struct Unsettled {
    /// Listings with an offer that may have begun or ended.
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

    /// Decides. Returns the holders that are not in `known`.
    pub(super) fn settle(
        self,
        write: &mut Write<'_>,
        now: i64,
        known: &Holders,
    ) -> Result<Holders, StorageError> {
        let mut found = Holders::new();
        for property in &self.properties {
            if !known.contains_key(property) {
                let holder = current_listings::find_current_offer(write, *property)?;
                found.insert(*property, holder);
            }
        }
        for listing in self.listings {
            current_listings::settle_offer(write, listing, now)?;
        }
        let decision = Decision {
            actor: ACTOR,
            now,
            detail: "{}",
        };
        for property in self.properties {
            let holder = known.get(&property).or_else(|| found.get(&property));
            let holder = holder.copied().flatten();
            current_listings::settle_after_import(write, &decision, property, holder)?;
        }
        Ok(found)
    }
}
