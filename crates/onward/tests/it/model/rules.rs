//! The effects and the refusals of each operation, by the specification.

use std::collections::BTreeSet;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::operation::Operation;
use super::state::{Entry, Event, Listing, Model};

/// The longest chain (S-54).
const CHAIN_LENGTH_MAX: usize = 100;

/// Who asks: the caller's branches, and its organisation's name.
#[derive(Debug, Clone)]
pub(super) struct Asker {
    pub(super) branches: Vec<i64>,
    pub(super) participant: String,
}

/// A status and an error code.
pub(super) type Refusal = (u16, &'static str);

/// What has to come of an operation.
#[derive(Debug)]
pub(super) enum Outcome {
    /// Any of these, where several rules forbid it and no order is settled.
    Refused(Vec<Refusal>),
    /// It is done, and the model has done it.
    Done(Done),
}

/// What an operation that was done leads to.
#[derive(Debug, Default)]
pub(super) struct Done {
    /// What has to be in the outbox afterwards.
    pub(super) events: Vec<Event>,
    /// A listing that was created, which the server gives an id.
    pub(super) created: Option<Box<Listing>>,
    /// A link, by seller and buyer, that the other branch has to confirm.
    pub(super) proposed: Option<(i64, i64)>,
}

const LISTING_UNKNOWN: Refusal = (404, "listing_unknown");
const NOT_YOURS: Refusal = (403, "not_your_branch");
pub(super) const VALUE_INVALID: Refusal = (422, "value_invalid");
const LOCKED: Refusal = (409, "listing_locked");

impl Model {
    /// Carries the operation out, or refuses it and changes nothing.
    pub(super) fn apply(&mut self, asker: &Asker, operation: &Operation) -> Outcome {
        match operation {
            Operation::Link(seller, buyer) => {
                let whose = [*seller, *buyer];
                let refused = self.refuse_pair(asker, &whose, &whose);
                let refused = refused.or_else(|| self.refuse_join(*seller, *buyer));
                self.link_unless(refused, asker, (*seller, *buyer))
            }
            Operation::Break(seller, buyer) => {
                let whose = [*seller, *buyer];
                let refused = self.refuse_pair(asker, &whose, &whose);
                let refused = refused.or_else(|| self.refuse_break(*seller, *buyer));
                self.finish(refused, |model| model.part(asker, *seller, *buyer))
            }
            Operation::Mark {
                chain,
                is_check,
                is_top,
                reason,
            } => {
                let mut refused = self.refuse_mark(asker, chain, *is_top).unwrap_or_default();
                if !reasons(*is_check).contains(reason) {
                    refused.push(VALUE_INVALID);
                }
                let anchor = self.find_chain(chain).unwrap_or_default();
                self.finish(some(refused), |model| {
                    model.set_marks(asker, anchor, *is_top, *is_check)
                })
            }
            Operation::MarkOf {
                listing,
                is_check,
                is_top,
            } => {
                let refused = self.refuse_pair(asker, &[*listing], &[*listing]);
                let refused = refused.or_else(|| self.refuse_locked_end(*listing, *is_top));
                self.finish(refused, |model| {
                    model.set_marks(asker, *listing, *is_top, *is_check)
                })
            }
            Operation::Add {
                anchor,
                is_top,
                given,
            } => self.add(asker, (*anchor, *given), *is_top),
            Operation::Record(listing, key, wish) => self.record(asker, *listing, key, wish),
            Operation::Withdraw(listing, key) => {
                let refused = self.refuse_milestone(asker, *listing, key);
                self.finish(some(refused), |model| model.withdraw(asker, *listing, key))
            }
            Operation::Reopen(listing) => {
                let refused = self.refuse_pair(asker, &[*listing], &[*listing]);
                self.finish(refused, |model| model.reopen(asker, *listing))
            }
            Operation::Lock(..)
            | Operation::Price(..)
            | Operation::Nothing(_)
            | Operation::Delete(_) => self.change_listing(asker, operation),
            Operation::Create(new) => self.create(asker, new),
        }
    }

    fn finish(
        &mut self,
        refused: Option<Vec<Refusal>>,
        act: impl FnOnce(&mut Self) -> Vec<Event>,
    ) -> Outcome {
        if let Some(refused) = refused {
            return Outcome::Refused(refused);
        }
        let events = act(self);
        Outcome::Done(Done {
            events,
            ..Done::default()
        })
    }

    fn link_unless(
        &mut self,
        refused: Option<Vec<Refusal>>,
        asker: &Asker,
        link: (i64, i64),
    ) -> Outcome {
        match refused {
            Some(refused) => Outcome::Refused(refused),
            None => self.link_or_propose(asker, link),
        }
    }

    /// First 404, then 403: all must exist, and one of `whose` must be the asker's.
    pub(super) fn refuse_pair(
        &self,
        asker: &Asker,
        named: &[i64],
        whose: &[i64],
    ) -> Option<Vec<Refusal>> {
        if named.iter().any(|id| self.live(*id).is_none()) {
            return Some(vec![LISTING_UNKNOWN]);
        }
        let mut branches = whose.iter().map(|id| self.listing(*id).branch);
        let is_own = branches.any(|branch| asker.branches.contains(&branch));
        (!is_own).then(|| vec![NOT_YOURS])
    }

    /// S-41, S-53, S-54.
    fn refuse_join(&self, seller: i64, buyer: i64) -> Option<Vec<Refusal>> {
        let (above, below) = (self.members(seller), self.members(buyer));
        let mut refused = Vec::new();
        if !self.sellers(buyer).is_empty() {
            refused.push((409, "buyer_has_seller"));
        }
        if !self.buyers(seller).is_empty() {
            refused.push((409, "seller_has_buyer"));
        }
        if seller == buyer {
            refused.push((409, "same_listing"));
        } else if above == below {
            refused.push((409, "same_chain"));
        } else if above.len() + below.len() > CHAIN_LENGTH_MAX {
            refused.push((409, "chain_too_long"));
        }
        if self.listing(seller).is_locked || self.listing(buyer).is_locked {
            refused.push(LOCKED);
        }
        if seller != buyer && self.listing(seller).property == self.listing(buyer).property {
            refused.push((409, "same_property"));
        } else if seller != buyer && above != below && self.would_ring_homes(seller, buyer) {
            refused.push((409, "same_chain"));
        }
        some(refused)
    }

    /// S-41: whether a home of the joined chain would lie above itself.
    fn would_ring_homes(&self, seller: i64, buyer: i64) -> bool {
        let joined = [self.members(seller), self.members(buyer)].concat();
        let home = |id: i64| self.listing(id).property;
        let links = self.links.iter().filter(|link| joined.contains(&link.0));
        let links = links.copied().chain([(seller, buyer)]);
        let links: Vec<_> = links.map(|link| (home(link.1), home(link.0))).collect();
        let lies_above_itself = |first| {
            let mut above = BTreeSet::new();
            for _round in &links {
                let next = links
                    .iter()
                    .filter(|one| one.0 == first || above.contains(&one.0));
                let next: Vec<_> = next.map(|one| one.1).collect();
                above.extend(next);
            }
            above.contains(&first)
        };
        joined.iter().any(|id| lies_above_itself(home(*id)))
    }

    /// S-44, S-53. A proposal alone is withdrawn, whatever is locked.
    fn refuse_break(&self, seller: i64, buyer: i64) -> Option<Vec<Refusal>> {
        let mut refused = Vec::new();
        let is_linked = self.links.contains(&(seller, buyer));
        if !is_linked && self.find_proposal((seller, buyer)).is_some() {
            return None;
        }
        if !is_linked {
            refused.push((409, "not_linked"));
        }
        if self.listing(seller).is_locked || self.listing(buyer).is_locked {
            refused.push(LOCKED);
        }
        some(refused)
    }

    /// S-47: who has no listing in the chain may not.
    fn refuse_mark(&self, asker: &Asker, chain: &str, is_top: bool) -> Option<Vec<Refusal>> {
        let Some(anchor) = self.find_chain(chain) else {
            return Some(vec![(404, "chain_unknown")]);
        };
        let refused = self.refuse_pair(asker, &[anchor], &self.members(anchor));
        refused.or_else(|| self.refuse_locked_end(anchor, is_top))
    }

    /// S-53: no check or uncheck of an end at which a locked listing stands.
    fn refuse_locked_end(&self, anchor: i64, is_top: bool) -> Option<Vec<Refusal>> {
        let ends = self.ends(anchor, is_top);
        let is_locked = ends.iter().any(|id| self.listing(*id).is_locked);
        is_locked.then(|| vec![LOCKED])
    }

    pub(super) fn link(&mut self, asker: &Asker, seller: i64, buyer: i64) -> Vec<Event> {
        self.join(asker, seller, buyer);
        self.settle(asker, seller, false);
        self.settle(asker, buyer, false);
        Vec::new()
    }

    /// S-42: the longer chain's id survives, at equal length the seller's.
    pub(super) fn join(&mut self, asker: &Asker, seller: i64, buyer: i64) {
        let (above, below) = (self.members(seller), self.members(buyer));
        let survivor = if below.len() > above.len() {
            buyer
        } else {
            seller
        };
        let survivor = self.listing(survivor).chain.clone();
        for id in above.into_iter().chain(below) {
            self.listing_mut(id).chain.clone_from(&survivor);
        }
        self.links.insert((seller, buyer));
        self.linked_at.insert((seller, buyer), self.now);
        for id in [seller, buyer] {
            self.listing_mut(id).was_linked = true;
        }
        // S-43: the two ends that are covered.
        self.mark(buyer, true, None);
        self.mark(seller, false, None);
        self.note_both(asker, "link.added", seller, buyer);
    }

    /// S-42: the longer part keeps the id, at equal length the seller's.
    fn part(&mut self, asker: &Asker, seller: i64, buyer: i64) -> Vec<Event> {
        let is_proposed = self.find_proposal((seller, buyer)).is_some();
        self.end_proposal((seller, buyer));
        if !self.links.remove(&(seller, buyer)) {
            if is_proposed {
                self.note_proposal(asker, "proposal.withdrawn", (seller, buyer));
            }
            return Vec::new();
        }
        self.linked_at.remove(&(seller, buyer));
        let (above, below) = (self.members(seller), self.members(buyer));
        if above != below {
            let begins = if below.len() > above.len() {
                above
            } else {
                below
            };
            for id in begins {
                self.listing_mut(id).chain.clear();
            }
        }
        // S-43: the two new ends are unchecked. They were covered, so nothing is marked.
        assert!(!self.is_marked(buyer, true) && !self.is_marked(seller, false));
        if self.members(seller) != self.members(buyer) {
            self.clear_checks_of_strangers(seller);
            self.clear_checks_of_strangers(buyer);
        }
        self.note_both(asker, "link.broken", seller, buyer);
        self.settle(asker, seller, false);
        self.settle(asker, buyer, false);
        Vec::new()
    }

    /// S-43: checks by a branch that has no listing left in the part.
    fn clear_checks_of_strangers(&mut self, anchor: i64) {
        let members = self.members(anchor);
        let branches: Vec<i64> = members.iter().map(|id| self.listing(*id).branch).collect();
        for id in members {
            for is_top in [true, false] {
                let by = self.listing(id).checked_by[usize::from(!is_top)];
                if by.is_some_and(|by| !branches.contains(&by)) {
                    self.mark(id, is_top, None);
                }
            }
        }
    }

    fn note_both(&mut self, asker: &Asker, action: &'static str, seller: i64, buyer: i64) {
        for listing in [seller, buyer] {
            self.touch(listing);
            self.note(asker, action, listing);
        }
    }

    pub(super) fn note(&mut self, asker: &Asker, action: &'static str, listing: i64) {
        let by = asker.participant.clone();
        self.history.push(Entry {
            listing,
            action,
            by,
        });
    }

    /// S-43, S-44.
    fn set_marks(
        &mut self,
        asker: &Asker,
        anchor: i64,
        is_top: bool,
        is_check: bool,
    ) -> Vec<Event> {
        // In the name of the caller's branch that is nearest to the end.
        let mut nearest = self.members(anchor);
        if is_top {
            nearest.reverse();
        }
        let mut branches = nearest.iter().map(|id| self.listing(*id).branch);
        let by = branches.find(|branch| asker.branches.contains(branch));
        for id in self.ends(anchor, is_top) {
            if self.is_marked(id, is_top) != is_check {
                self.mark(id, is_top, by.filter(|_| is_check));
                let action = if is_check {
                    "end.checked"
                } else {
                    "end.unchecked"
                };
                self.note(asker, action, id);
            }
        }
        Vec::new()
    }

    /// S-45.
    fn add(&mut self, asker: &Asker, (anchor, given): (i64, i64), is_top: bool) -> Outcome {
        if let Some(refused) = self.refuse_pair(asker, &[anchor, given], &[anchor]) {
            return Outcome::Refused(refused);
        }
        let ends = self.ends(anchor, is_top);
        let end = match ends.as_slice() {
            [only] => *only,
            several if several.contains(&anchor) => anchor,
            _several => return Outcome::Refused(vec![(409, "several_ends")]),
        };
        let (seller, buyer) = if is_top { (given, end) } else { (end, given) };
        let refused = self.refuse_pair(asker, &[], &[seller, buyer]);
        let refused = refused.or_else(|| self.refuse_join(seller, buyer));
        self.link_unless(refused, asker, (seller, buyer))
    }
}

fn some(refused: Vec<Refusal>) -> Option<Vec<Refusal>> {
    (!refused.is_empty()).then_some(refused)
}

/// The Unix time at which a date begins in London (S-11).
pub(super) fn midnight_in_london(date: Date) -> i64 {
    let london = TimeZone::get("Europe/London").unwrap();
    date.to_zoned(london).unwrap().timestamp().as_second()
}

/// Why an end may be checked or unchecked.
fn reasons(is_check: bool) -> &'static [&'static str] {
    if is_check {
        &["Checked"]
    } else {
        &["Unspecified", "Not EOC", "Dont Know If EOC"]
    }
}
