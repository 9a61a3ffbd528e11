//! What the model does when listings are created, changed and withdrawn.

use super::operation::{NewListing, Operation};
use super::rules::{Asker, Done, Outcome, Refusal};
use super::state::{Listing, Model};

impl Model {
    pub(super) fn change_listing(&mut self, asker: &Asker, operation: &Operation) -> Outcome {
        let [id] = operation.listings()[..] else {
            panic!("{operation:?}");
        };
        let Some(listing) = self.live(id) else {
            let mut refused = vec![(404, "listing_unknown")];
            refused.extend(forbid_by_body(operation));
            return Outcome::Refused(refused);
        };
        let mut refused: Vec<Refusal> = Vec::new();
        if !asker.branches.contains(&listing.branch) {
            refused.push((403, "not_your_branch"));
        } else if matches!(operation, Operation::Delete(_)) && self.members(id).len() > 1 {
            refused.push((409, "listing_linked"));
        }
        refused.extend(forbid_by_body(operation));
        if !refused.is_empty() {
            return Outcome::Refused(refused);
        }
        let listing = self.listing_mut(id);
        let mut action = "listing.updated";
        if let Operation::Lock(_, is_locked) = operation {
            listing.is_locked = *is_locked;
        } else if let Operation::Price(_, price) = operation {
            listing.price = *price;
        } else {
            listing.is_deleted = true;
            self.end_proposals_of(asker, id);
            action = "listing.withdrawn";
        }
        self.touch(id);
        self.note(asker, action, id);
        self.settle(asker, id, false);
        Outcome::Done(Done::default())
    }

    pub(super) fn create(&mut self, asker: &Asker, new: &NewListing) -> Outcome {
        let NewListing {
            branch,
            property,
            external_id,
            price,
        } = new;
        let mut refused: Vec<Refusal> = Vec::new();
        if self.branches.iter().all(|one| one.id != *branch) {
            refused.push((404, "branch_unknown"));
        } else if !asker.branches.contains(branch) {
            refused.push((403, "not_your_branch"));
        }
        if !self.properties.contains_key(property) {
            refused.push((404, "address_unknown"));
        }
        let known = self.find_external(*branch, external_id.as_deref());
        if refused.is_empty() && known.is_some_and(|id| self.live(id).is_none()) {
            refused.push((409, "listing_withdrawn"));
        }
        if !refused.is_empty() {
            return Outcome::Refused(refused);
        }
        if let Some(id) = known {
            return self.post_again(asker, id, *property, *price);
        }
        let created = Listing {
            id: 0,
            branch: *branch,
            property: *property,
            external_id: external_id.clone(),
            price: *price,
            is_locked: false,
            is_deleted: false,
            created_at: self.now,
            updated_at: self.now,
            top_checked: false,
            bottom_checked: false,
            checked_by: [None; 2],
            tenure: String::new(),
            transaction_types: Vec::new(),
            conveyancers: Default::default(),
            milestones: std::collections::BTreeMap::default(),
            chain: String::new(),
            was_linked: false,
            offer_since: None,
        };
        Outcome::Done(Done {
            created: Some(Box::new(created)),
            ..Done::default()
        })
    }

    /// Changes the listing that has the external id.
    fn post_again(&mut self, asker: &Asker, id: i64, property: i64, price: i64) -> Outcome {
        let left = self.listing(id).property;
        let is_moved = left != property;
        if is_moved && self.names_a_sale(id) {
            return Outcome::Refused(vec![(409, "property_fixed")]);
        }
        if is_moved {
            self.end_proposals_of(asker, id);
        }
        if is_moved || self.listing(id).price != price {
            let listing = self.listing_mut(id);
            listing.price = price;
            listing.property = property;
            if is_moved {
                listing.top_checked = false;
                listing.bottom_checked = false;
                listing.checked_by = [None; 2];
            }
            self.touch(id);
            self.note(asker, "listing.updated", id);
            self.settle(asker, id, is_moved);
        }
        if is_moved && self.current.get(&left) == Some(&id) {
            self.settle_left(asker, left, id);
        }
        Outcome::Done(Done::default())
    }

    /// S-56.
    fn names_a_sale(&self, id: i64) -> bool {
        let listing = self.listing(id);
        let mut keys = listing.milestones.keys();
        listing.was_linked || keys.any(|key| *key != "property_listed")
    }

    /// Takes a created listing in, with the id that the server gave.
    pub(super) fn take_in(&mut self, asker: &Asker, mut created: Listing, id: i64) {
        assert!(!self.listings.contains_key(&id), "{id} was given before");
        created.id = id;
        self.listings.insert(id, created);
        self.note(asker, "listing.created", id);
        self.settle(asker, id, true);
    }

    /// The listing of a branch with its own id, withdrawn or not.
    pub(super) fn find_external(&self, branch: i64, external_id: Option<&str>) -> Option<i64> {
        let external_id = external_id?;
        let mut listings = self.listings.values();
        let found = listings
            .find(|one| one.branch == branch && one.external_id.as_deref() == Some(external_id));
        found.map(|one| one.id)
    }
}

/// A body that says nothing is refused, whatever else there is to refuse.
fn forbid_by_body(operation: &Operation) -> Option<Refusal> {
    matches!(operation, Operation::Nothing(_)).then_some((422, "value_invalid"))
}
