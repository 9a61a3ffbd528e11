//! Random links, breaks, checks and locks, compared with a naive model of all chains.

use std::collections::{BTreeMap, BTreeSet};

use chain::ends::{self, End};
use chain::ids::{ChainId, ListingId, PropertyId};
use chain::link::{LinkRule, join, unlink};
use chain::state::{Chain, ChainType, Link, Member};
use proptest::prelude::*;

use crate::sample::{chain_id, link, member};

const LISTINGS: i64 = 9;
/// The listings above this one are of the homes 1, 2 and 3 as well.
const HOMES: i64 = 6;

#[derive(Debug, Clone, Copy)]
enum Step {
    Link(Link, LinkRule),
    Unlink(Link),
    Mark(ListingId, End, bool),
    Lock(ListingId, bool),
}

/// The rows of a store. Only the decisions of the crate change them.
#[derive(Debug)]
struct Store {
    members: BTreeMap<ListingId, Member>,
    chain_ids: BTreeMap<ListingId, ChainId>,
    links: BTreeSet<Link>,
    fresh: u128,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let listing = || (1..=LISTINGS).prop_map(ListingId);
    let pair = || (1..=LISTINGS, 1..=LISTINGS).prop_map(|(buyer, seller)| link(buyer, seller));
    let end = prop_oneof![Just(End::Top), Just(End::Bottom)];
    let rule = prop_oneof![Just(LinkRule::OneToOne), Just(LinkRule::Split)];
    let step = prop_oneof![
        8 => (pair(), rule).prop_map(|(link, rule)| Step::Link(link, rule)),
        3 => pair().prop_map(Step::Unlink),
        3 => (listing(), end, any::<bool>()).prop_map(|(listing, end, on)| Step::Mark(listing, end, on)),
        1 => (listing(), any::<bool>()).prop_map(|(listing, on)| Step::Lock(listing, on && listing.0 < 3)),
    ];
    proptest::collection::vec(step, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_history_agrees_with_the_model(steps in steps()) {
        let mut store = Store::new();
        for step in steps {
            match step {
                Step::Link(link, rule) => store.link(link, rule)?,
                Step::Unlink(link) => store.unlink(link)?,
                Step::Mark(listing, end, is_checked) => store.mark(listing, end, is_checked)?,
                Step::Lock(listing, is_locked) => store.member(listing).is_locked = is_locked,
            }
            for listing in (1..=LISTINGS).map(ListingId) {
                store.compare_chain(listing)?;
            }
        }
    }
}

fn new_member(number: i64) -> Member {
    Member {
        property: PropertyId(1 + (number - 1) % HOMES),
        ..member(number)
    }
}

impl Store {
    fn new() -> Self {
        let listings = || (1..=LISTINGS).map(ListingId);
        Self {
            members: listings().map(|one| (one, new_member(one.0))).collect(),
            chain_ids: listings().zip((1..).map(chain_id)).collect(),
            links: BTreeSet::new(),
            fresh: 1000,
        }
    }

    fn member(&mut self, listing: ListingId) -> &mut Member {
        self.members.get_mut(&listing).unwrap()
    }

    /// Reads members and links in reverse, because their order must not matter.
    fn load(&self, listing: ListingId) -> Chain {
        let id = self.chain_ids[&listing];
        let mut members: Vec<Member> = self.members.values().rev().copied().collect();
        members.retain(|one| self.chain_ids[&one.listing] == id);
        let mut links: Vec<Link> = self.links.iter().rev().copied().collect();
        links.retain(|one| self.chain_ids[&one.buyer] == id);
        Chain::new(id, members, links).unwrap()
    }

    fn link(&mut self, link: Link, rule: LinkRule) -> Result<(), TestCaseError> {
        let (lower, upper) = (self.piece(link.buyer), self.piece(link.seller));
        let mut links = self.links.iter();
        let is_taken = links.any(|one| one.buyer == link.buyer || one.seller == link.seller);
        let is_allowed = match rule {
            LinkRule::OneToOne => !is_taken && lower != upper,
            LinkRule::Split => {
                !self.links.contains(&link) && !self.is_below(link.seller, link.buyer)
            }
        };
        let is_allowed = is_allowed && link.seller != link.buyer && !self.is_locked(link);
        let joined = lower.union(&upper).copied().collect();
        let is_allowed = is_allowed && !self.would_ring_homes(&joined, link);
        let is_lower_longer = lower.len() > upper.len();
        let survivor = if is_lower_longer {
            link.buyer
        } else {
            link.seller
        };
        let survivor = self.chain_ids[&survivor];

        let (seller, buyer) = (self.load(link.seller), self.load(link.buyer));
        let found = join(&seller, &buyer, link, rule);
        prop_assert_eq!(found.is_ok(), is_allowed, "{:?}: {:?}", rule, found);
        let Ok(found) = found else { return Ok(()) };
        prop_assert_eq!((found.link, found.survivor), (link, survivor));
        prop_assert_eq!(found.dissolved.is_none(), lower == upper);
        for listing in found.dissolved.iter().flat_map(|(_, listings)| listings) {
            self.chain_ids.insert(*listing, found.survivor);
        }
        self.links.insert(link);
        self.clear(&found.cleared);
        for listing in lower.union(&upper) {
            prop_assert_eq!(self.chain_ids[listing], survivor);
        }
        Ok(())
    }

    fn unlink(&mut self, link: Link) -> Result<(), TestCaseError> {
        let chain = self.load(link.buyer);
        self.fresh += 1;
        let fresh = chain_id(self.fresh);
        let found = unlink(&chain, link, fresh);
        let is_allowed = self.links.contains(&link) && !self.is_locked(link);
        prop_assert_eq!(found.is_ok(), is_allowed);
        let Ok(found) = found else { return Ok(()) };
        self.links.remove(&link);
        self.clear(&found.cleared);
        let (mut kept, mut moved) = (self.piece(link.seller), self.piece(link.buyer));
        if moved.len() > kept.len() {
            std::mem::swap(&mut kept, &mut moved);
        }
        prop_assert_eq!(found.new_chain.is_none(), kept == moved);
        if let Some((id, listings)) = found.new_chain {
            prop_assert_eq!(id, fresh);
            self.chain_ids.extend(listings.iter().map(|one| (*one, id)));
            prop_assert_eq!(BTreeSet::from_iter(listings), moved);
        }
        prop_assert_eq!(found.kept, chain.id());
        for listing in kept {
            prop_assert_eq!(self.chain_ids[&listing], chain.id());
        }
        Ok(())
    }

    fn is_locked(&self, link: Link) -> bool {
        [link.seller, link.buyer].map(|one| self.members[&one].is_locked) != [false, false]
    }

    fn mark(&mut self, at: ListingId, end: End, is_checked: bool) -> Result<(), TestCaseError> {
        let chain = self.load(at);
        let mut at_end = self.piece(at);
        at_end.retain(|one| self.is_end(*one, end));
        let decide = if is_checked {
            ends::check
        } else {
            ends::uncheck
        };
        let found = decide(&chain, end);
        let is_locked = at_end.iter().any(|one| self.members[one].is_locked);
        prop_assert_eq!(found.is_err(), is_locked);
        let Ok(found) = found else { return Ok(()) };
        for listing in found {
            prop_assert!(end.is_marked(&self.members[&listing]) != is_checked);
            self.set_mark(listing, end, is_checked);
        }
        for listing in at_end {
            prop_assert_eq!(end.is_marked(&self.members[&listing]), is_checked);
        }
        Ok(())
    }

    fn clear(&mut self, cleared: &[(ListingId, End)]) {
        for (listing, end) in cleared {
            assert!(end.is_marked(&self.members[listing]));
            self.set_mark(*listing, *end, false);
        }
    }

    fn set_mark(&mut self, listing: ListingId, end: End, is_checked: bool) {
        match end {
            End::Top => self.member(listing).top_checked = is_checked,
            End::Bottom => self.member(listing).bottom_checked = is_checked,
        }
    }

    /// Compares the chain of one listing with the model.
    fn compare_chain(&self, listing: ListingId) -> Result<(), TestCaseError> {
        let chain = self.load(listing);
        let mut expected: Vec<ListingId> = self.piece(listing).into_iter().collect();
        expected.sort_by_key(|one| (self.height(*one), *one));
        prop_assert_eq!(chain.listings(), &expected);
        prop_assert_eq!(chain.length(), expected.len());
        for link in chain.links() {
            prop_assert!(chain.position(link.buyer) < chain.position(link.seller));
        }
        let only = |is_kept: &dyn Fn(ListingId) -> bool| -> Vec<ListingId> {
            expected
                .iter()
                .copied()
                .filter(|one| is_kept(*one))
                .collect()
        };
        for end in [End::Top, End::Bottom] {
            prop_assert_eq!(end.listings(&chain), only(&|one| self.is_end(one, end)));
            // A check never outlives its end (S-43).
            let is_stale = |one| !self.is_end(one, end) && end.is_marked(&self.members[&one]);
            prop_assert_eq!(only(&is_stale), vec![]);
        }
        let is_linked = |buyer, seller| self.links.contains(&Link { seller, buyer });
        let sellers = |buyer| only(&|one| is_linked(buyer, one));
        let buyers = |seller| only(&|one| is_linked(one, seller));
        prop_assert_eq!(chain.onward_purchases(listing), sellers(listing));
        prop_assert_eq!(chain.buyers_sales(listing), buyers(listing));
        let is_split = |one: &ListingId| sellers(*one).len() > 1 || buyers(*one).len() > 1;
        let chain_type = match expected.len() {
            1 => ChainType::NotInChain,
            _ if expected.iter().any(is_split) => ChainType::SplitChain,
            _ => ChainType::InChain,
        };
        prop_assert_eq!(chain.chain_type(), chain_type);
        Ok(())
    }

    /// The listings that links connect with this one, found by adding neighbours until none is new.
    fn piece(&self, listing: ListingId) -> BTreeSet<ListingId> {
        let mut piece = BTreeSet::from([listing]);
        loop {
            let before = piece.len();
            for link in &self.links {
                if piece.contains(&link.seller) || piece.contains(&link.buyer) {
                    piece.extend([link.seller, link.buyer]);
                }
            }
            if piece.len() == before {
                return piece;
            }
        }
    }

    fn height(&self, listing: ListingId) -> usize {
        let below = self.links.iter().filter(|link| link.seller == listing);
        below
            .map(|link| self.height(link.buyer) + 1)
            .max()
            .unwrap_or(0)
    }

    fn is_below(&self, lower: ListingId, upper: ListingId) -> bool {
        let mut above = self.links.iter().filter(|link| link.buyer == lower);
        above.any(|link| link.seller == upper || self.is_below(link.seller, upper))
    }

    /// Whether a home of these listings would lie above itself after this link (S-41).
    fn would_ring_homes(&self, listings: &BTreeSet<ListingId>, link: Link) -> bool {
        let home = |listing| self.members[&listing].property;
        let links = self
            .links
            .iter()
            .filter(|one| listings.contains(&one.buyer));
        let pairs = links
            .chain([&link])
            .map(|one| (home(one.buyer), home(one.seller)));
        let pairs: Vec<_> = pairs.collect();
        let lies_above_itself = |first| {
            let mut above = BTreeSet::new();
            for _round in 0..=pairs.len() {
                let next = pairs.iter();
                let next = next.filter(|(lower, _)| *lower == first || above.contains(lower));
                let next: Vec<_> = next.map(|(_, upper)| *upper).collect();
                above.extend(next);
            }
            above.contains(&first)
        };
        listings
            .iter()
            .any(|listing| lies_above_itself(home(*listing)))
    }

    fn is_end(&self, listing: ListingId, end: End) -> bool {
        match end {
            End::Top => self.links.iter().all(|link| link.buyer != listing),
            End::Bottom => self.links.iter().all(|link| link.seller != listing),
        }
    }
}
