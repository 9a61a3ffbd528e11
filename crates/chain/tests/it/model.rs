//! Random links, breaks, checks and locks, held against a naive model of the whole market.

use std::collections::{BTreeMap, BTreeSet};

use chain::ends::{self, End};
use chain::ids::{ChainId, ListingId};
use chain::link::{LinkRule, join, unlink};
use chain::state::{Chain, ChainType, Link, Member};
use proptest::prelude::{
    Just, ProptestConfig, Strategy, TestCaseError, any, prop_assert, prop_assert_eq, prop_oneof,
    proptest,
};

use crate::sample::{chain_id, link, member};

const LISTINGS: i64 = 9;

#[derive(Debug, Clone, Copy)]
enum Step {
    Link(Link, LinkRule),
    Unlink(Link),
    Check(ListingId, End),
    Uncheck(ListingId, End),
    Lock(ListingId, bool),
}

/// What a store holds, changed only by what the crate's decisions return.
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
    let end = || prop_oneof![Just(End::Top), Just(End::Bottom)];
    let rule = prop_oneof![Just(LinkRule::OneToOne), Just(LinkRule::Split)];
    let step = prop_oneof![
        8 => (pair(), rule).prop_map(|(link, rule)| Step::Link(link, rule)),
        3 => pair().prop_map(Step::Unlink),
        2 => (listing(), end()).prop_map(|(listing, end)| Step::Check(listing, end)),
        1 => (listing(), end()).prop_map(|(listing, end)| Step::Uncheck(listing, end)),
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
                Step::Check(listing, end) => store.mark(listing, end, true)?,
                Step::Uncheck(listing, end) => store.mark(listing, end, false)?,
                Step::Lock(listing, is_locked) => store.member(listing).is_locked = is_locked,
            }
            for listing in (1..=LISTINGS).map(ListingId) {
                store.compare_chain(listing)?;
            }
        }
    }
}

impl Store {
    fn new() -> Self {
        let listings = || (1..=LISTINGS).map(ListingId);
        Self {
            members: listings().map(|one| (one, member(one.0))).collect(),
            chain_ids: listings().zip((1..).map(chain_id)).collect(),
            links: BTreeSet::new(),
            fresh: 1000,
        }
    }

    fn member(&mut self, listing: ListingId) -> &mut Member {
        self.members.get_mut(&listing).unwrap()
    }

    fn load(&self, listing: ListingId) -> Chain {
        let id = self.chain_ids[&listing];
        let is_inside = |one: &ListingId| self.chain_ids[one] == id;
        let members = self
            .members
            .values()
            .rev()
            .filter(|one| is_inside(&one.listing));
        let links = self
            .links
            .iter()
            .rev()
            .filter(|link| is_inside(&link.buyer));
        Chain::new(id, members.copied().collect(), links.copied().collect()).unwrap()
    }

    fn link(&mut self, link: Link, rule: LinkRule) -> Result<(), TestCaseError> {
        let (lower, upper) = (self.piece(link.buyer), self.piece(link.seller));
        let mut linked = self.links.clone();
        let is_new = linked.insert(link);
        let is_taken = self
            .links
            .iter()
            .any(|one| one.buyer == link.buyer || one.seller == link.seller);
        let is_locked = [link.seller, link.buyer]
            .iter()
            .any(|one| self.members[one].is_locked);
        let is_allowed = match rule {
            LinkRule::OneToOne => !is_taken && lower != upper,
            LinkRule::Split => is_new && !self.is_below(link.seller, link.buyer),
        };
        let is_allowed = is_allowed && link.seller != link.buyer && !is_locked;
        let survivor = if lower.len() > upper.len() {
            link.buyer
        } else {
            link.seller
        };
        let survivor = self.chain_ids[&survivor];

        let (seller, buyer) = (self.load(link.seller), self.load(link.buyer));
        let found = join((&seller, link.seller), (&buyer, link.buyer), rule);
        prop_assert_eq!(
            found.is_ok(),
            is_allowed,
            "{:?} {:?}: {:?}",
            rule,
            link,
            found
        );
        let Ok(found) = found else { return Ok(()) };
        prop_assert_eq!((found.link, found.survivor), (link, survivor));
        prop_assert_eq!(found.dissolved.is_none(), lower == upper);
        for listing in found.dissolved.iter().flat_map(|(_, listings)| listings) {
            self.chain_ids.insert(*listing, found.survivor);
        }
        self.links = linked;
        self.clear(&found.cleared);
        for listing in lower.union(&upper) {
            prop_assert_eq!(self.chain_ids[listing], survivor);
        }
        Ok(())
    }

    fn unlink(&mut self, link: Link) -> Result<(), TestCaseError> {
        let chain = self.load(link.buyer);
        self.fresh += 1;
        let found = unlink(&chain, link.seller, link.buyer, chain_id(self.fresh));
        let is_locked = [link.seller, link.buyer]
            .iter()
            .any(|one| self.members[one].is_locked);
        prop_assert_eq!(found.is_ok(), self.links.contains(&link) && !is_locked);
        let Ok(found) = found else { return Ok(()) };
        self.links.remove(&link);
        self.clear(&found.cleared);
        let (lower, upper) = (self.piece(link.buyer), self.piece(link.seller));
        let (kept, moved) = if lower.len() > upper.len() {
            (lower, upper)
        } else {
            (upper, lower)
        };
        prop_assert_eq!(found.new_chain.is_none(), kept == moved);
        if let Some((id, listings)) = found.new_chain {
            prop_assert_eq!(id, chain_id(self.fresh));
            prop_assert_eq!(listings.iter().copied().collect::<BTreeSet<_>>(), moved);
            for listing in listings {
                self.chain_ids.insert(listing, id);
            }
        }
        prop_assert_eq!(found.kept, chain.id());
        for listing in kept {
            prop_assert_eq!(self.chain_ids[&listing], chain.id());
        }
        Ok(())
    }

    fn mark(
        &mut self,
        listing: ListingId,
        end: End,
        is_checked: bool,
    ) -> Result<(), TestCaseError> {
        let chain = self.load(listing);
        let piece = self.piece(listing);
        let at_end: Vec<ListingId> = piece
            .into_iter()
            .filter(|one| self.is_end(*one, end))
            .collect();
        let found = if is_checked {
            ends::check(&chain, end)
        } else {
            ends::uncheck(&chain, end)
        };
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

    /// Holds the chain of one listing against the model.
    fn compare_chain(&self, listing: ListingId) -> Result<(), TestCaseError> {
        let chain = self.load(listing);
        let piece = self.piece(listing);
        let mut expected: Vec<ListingId> = piece.iter().copied().collect();
        expected.sort_by_key(|one| (self.height(*one), *one));
        prop_assert_eq!(chain.listings(), &expected);
        prop_assert_eq!(chain.length(), piece.len());
        for link in chain.links() {
            prop_assert!(chain.position(link.buyer) < chain.position(link.seller));
        }
        for end in [End::Top, End::Bottom] {
            let at_end = expected
                .iter()
                .copied()
                .filter(|one| self.is_end(*one, end));
            prop_assert_eq!(end.listings(&chain), at_end.collect::<Vec<_>>());
            // A mark never outlives its end (S-43).
            for one in &expected {
                prop_assert!(self.is_end(*one, end) || !end.is_marked(&self.members[one]));
            }
        }
        let count = |is_neighbour: &dyn Fn(&Link) -> bool| {
            self.links.iter().filter(|link| is_neighbour(link)).count()
        };
        let is_split = piece.iter().any(|one| {
            count(&|link| link.buyer == *one) > 1 || count(&|link| link.seller == *one) > 1
        });
        let chain_type = match (piece.len(), is_split) {
            (1, _) => ChainType::NotInChain,
            (_, true) => ChainType::SplitChain,
            (_, false) => ChainType::InChain,
        };
        prop_assert_eq!(chain.chain_type(), chain_type);
        let sellers = expected.iter().copied().filter(|one| {
            self.links.contains(&Link {
                seller: *one,
                buyer: listing,
            })
        });
        prop_assert_eq!(chain.onward_purchases(listing), sellers.collect::<Vec<_>>());
        let buyers = expected.iter().copied().filter(|one| {
            self.links.contains(&Link {
                seller: listing,
                buyer: *one,
            })
        });
        prop_assert_eq!(chain.buyers_sales(listing), buyers.collect::<Vec<_>>());
        Ok(())
    }

    /// The listings that hang together, by adding neighbours until none is new.
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

    fn is_end(&self, listing: ListingId, end: End) -> bool {
        match end {
            End::Top => self.links.iter().all(|link| link.buyer != listing),
            End::Bottom => self.links.iter().all(|link| link.seller != listing),
        }
    }
}
