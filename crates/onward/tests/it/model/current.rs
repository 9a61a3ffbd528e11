//! Which listing of a property is current in the model (S-6).

use jiff::civil::Date;

use super::rules::Asker;
use super::state::{Listing, Model};

/// The setting `offer_idle_days` of the run, in seconds. Short, so that rule (e) has its turn.
pub(super) const IDLE_SECONDS: i64 = 86_400;

impl Model {
    pub(super) fn is_current(&self, listing: i64) -> bool {
        self.current.get(&self.listing(listing).property) == Some(&listing)
    }

    /// Settles the offer of a listing that was written, and the place in its property.
    pub(super) fn settle(&mut self, asker: &Asker, written: i64, is_new: bool) {
        let [was_offered, is_offered] = self.settle_offer(written);
        let now = self.now;
        let property = self.listing(written).property;
        let before = self.current.get(&property).copied();
        let Some(holder) = before.filter(|id| self.live(*id).is_some()) else {
            let next = self.first_offer(property).or(self.newest(property));
            return self.pass(asker, property, before, next);
        };
        let next = if written == holder {
            if was_offered && !is_offered {
                self.first_offer(property)
            } else {
                None
            }
        } else {
            let is_free = self.listing(holder).offer_since.is_none();
            let is_idle = now - self.listing(holder).updated_at >= IDLE_SECONDS;
            let begins = is_new || is_offered && !was_offered;
            (begins && is_free || is_offered && is_idle).then_some(written)
        };
        self.pass(asker, property, before, next.or(Some(holder)));
    }

    /// Settles a property that its current listing has left for another one.
    pub(super) fn settle_left(&mut self, asker: &Asker, property: i64, moved: i64) {
        let next = self.first_offer(property).or(self.newest(property));
        self.pass(asker, property, Some(moved), next);
    }

    /// Settles two listings that an import linked: who is current and under offer stays.
    pub(super) fn settle_import(&mut self, linked: [i64; 2]) {
        let holders = linked.map(|id| {
            let current = self.current.get(&self.listing(id).property).copied();
            current.filter(|id| self.listing(*id).offer_since.is_some())
        });
        for id in linked {
            self.settle_offer(id);
        }
        for (id, holder) in linked.into_iter().zip(holders) {
            let property = self.listing(id).property;
            // The linked listing is under offer, or another one, or none.
            let offers = self
                .listings_of(property)
                .filter(|one| one.offer_since.is_some());
            let first = offers.min_by_key(|one| {
                let agreed = self.counted_date(one.id, "sstc");
                (agreed.is_none(), agreed, self.first_link(one.id), one.id)
            });
            let first = first.map(|one| one.id).or(self.newest(property));
            if let Some(next) = holder.or(first) {
                self.current.insert(property, next);
            }
        }
    }

    fn first_link(&self, id: i64) -> Option<i64> {
        let links = self.linked_at.iter();
        let own = links.filter(|((seller, buyer), _)| id == *seller || id == *buyer);
        own.map(|(_, at)| *at).min()
    }

    /// Whether a listing was under offer before a write, and is after it.
    fn settle_offer(&mut self, id: i64) -> [bool; 2] {
        let was_offered = self.listing(id).offer_since.is_some();
        let is_offered = self.is_under_offer(id);
        let now = self.now;
        if was_offered != is_offered {
            self.listing_mut(id).offer_since = is_offered.then_some(now);
        }
        [was_offered, is_offered]
    }

    fn pass(&mut self, asker: &Asker, property: i64, before: Option<i64>, next: Option<i64>) {
        if before == next {
            return;
        }
        match next {
            Some(next) => self.current.insert(property, next),
            None => self.current.remove(&property),
        };
        if let (Some(before), Some(next)) = (before, next) {
            self.note(asker, "current.lost", before);
            self.note(asker, "current.gained", next);
        }
    }

    fn is_under_offer(&self, id: i64) -> bool {
        let date = |key: &str| self.counted_date(id, key);
        let is_linked = !self.buyers(id).is_empty() || !self.sellers(id).is_empty();
        let fell_through = match (date("sstc"), date("fall_through")) {
            (Some(agreed), Some(fell)) => agreed <= fell,
            (None, fell) => fell.is_some(),
            (Some(_), None) => false,
        };
        let is_over = self.listing(id).is_deleted || fell_through || date("completion").is_some();
        !is_over && (is_linked || date("sstc").is_some())
    }

    fn counted_date(&self, id: i64, key: &str) -> Option<Date> {
        let counted = self
            .listing(id)
            .milestones
            .get(key)
            .filter(|one| !one.excluded);
        counted.and_then(|one| one.date)
    }

    fn listings_of(&self, property: i64) -> impl Iterator<Item = &Listing> {
        let live = self.listings.values().filter(|one| !one.is_deleted);
        live.filter(move |one| one.property == property)
    }

    fn first_offer(&self, property: i64) -> Option<i64> {
        let offers = self
            .listings_of(property)
            .filter(|one| one.offer_since.is_some());
        offers
            .min_by_key(|one| (one.offer_since, one.id))
            .map(|one| one.id)
    }

    fn newest(&self, property: i64) -> Option<i64> {
        let newest = self
            .listings_of(property)
            .max_by_key(|one| (one.created_at, one.id));
        newest.map(|one| one.id)
    }

    /// Whether two or more listings of a listing's property are under offer.
    pub(super) fn is_contested(&self, listing: i64) -> bool {
        let listings = self.listings_of(self.listing(listing).property);
        listings.filter(|one| one.offer_since.is_some()).count() > 1
    }
}
