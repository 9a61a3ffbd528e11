//! What the model knows: listings, links and marks, in the plainest form.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use super::proposals::Proposal;

/// An office that sells.
#[derive(Debug, Clone)]
pub(super) struct Branch {
    pub(super) id: i64,
    pub(super) reference: String,
    pub(super) name: String,
}

/// What is sold.
#[derive(Debug, Clone)]
pub(super) struct Property {
    pub(super) id: i64,
    pub(super) uprn: i64,
    pub(super) line1: String,
    pub(super) street: String,
    pub(super) town: String,
    pub(super) postcode: String,
}

/// What is recorded of one milestone. Withdrawn ones are not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Milestone {
    /// Given by the server; none until it was seen.
    pub(super) id: Option<String>,
    /// Given by the server; none until it was seen.
    pub(super) created_at: Option<i64>,
    pub(super) updated_at: i64,
    /// None after enquiries were reopened.
    pub(super) date: Option<Date>,
    /// The exact time, where one was given.
    pub(super) moment: Option<i64>,
    pub(super) origin: i64,
    pub(super) excluded: bool,
}

/// One sale.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "these are what document 2 has"
)]
pub(super) struct Listing {
    pub(super) id: i64,
    pub(super) branch: i64,
    pub(super) property: i64,
    pub(super) external_id: Option<String>,
    pub(super) price: i64,
    pub(super) is_locked: bool,
    pub(super) is_deleted: bool,
    pub(super) created_at: i64,
    pub(super) updated_at: i64,
    pub(super) top_checked: bool,
    pub(super) bottom_checked: bool,
    /// The branches that checked the top and the bottom.
    pub(super) checked_by: [Option<i64>; 2],
    pub(super) tenure: String,
    pub(super) transaction_types: Vec<String>,
    /// Seller's and buyer's.
    pub(super) conveyancers: [String; 2],
    pub(super) milestones: BTreeMap<&'static str, Milestone>,
    /// The chain link id; empty until the run has read a new one.
    pub(super) chain: String,
    /// Whether it is or was linked (S-56).
    pub(super) was_linked: bool,
    /// When its offer began (S-6).
    pub(super) offer_since: Option<i64>,
}

/// An entry of the outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) kind: &'static str,
    pub(super) listing: i64,
    pub(super) property: i64,
    pub(super) uprn: i64,
    pub(super) label: Option<&'static str>,
    pub(super) date: Date,
}

/// An entry of a listing's history: action, organisation, chain afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) listing: i64,
    pub(super) action: &'static str,
    pub(super) by: String,
}

/// Everything.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) now: i64,
    pub(super) branches: Vec<Branch>,
    pub(super) properties: BTreeMap<i64, Property>,
    pub(super) listings: BTreeMap<i64, Listing>,
    /// Seller and buyer.
    pub(super) links: BTreeSet<(i64, i64)>,
    /// When each link was made.
    pub(super) linked_at: BTreeMap<(i64, i64), i64>,
    /// All chain link ids that were ever seen; none of them may come again.
    pub(super) chains_seen: BTreeSet<String>,
    pub(super) history: Vec<Entry>,
    /// The current listing of each property that has one (S-6).
    pub(super) current: BTreeMap<i64, i64>,
    /// The setting `foreign_links` of the run.
    pub(super) confirms_links: bool,
    /// The oldest first, ended ones among them.
    pub(super) proposals: Vec<Proposal>,
}

impl Model {
    /// A listing that is not withdrawn.
    pub(super) fn live(&self, id: i64) -> Option<&Listing> {
        self.listings.get(&id).filter(|one| !one.is_deleted)
    }

    /// The ids of all that are not withdrawn.
    pub(super) fn live_ids(&self) -> Vec<i64> {
        let live = self.listings.values().filter(|one| !one.is_deleted);
        live.map(|one| one.id).collect()
    }

    pub(super) fn listing(&self, id: i64) -> &Listing {
        &self.listings[&id]
    }

    pub(super) fn listing_mut(&mut self, id: i64) -> &mut Listing {
        self.listings.get_mut(&id).unwrap()
    }

    /// Whether it is shown as changed now.
    pub(super) fn touch(&mut self, id: i64) {
        let now = self.now;
        self.listing_mut(id).updated_at = now;
    }

    pub(super) fn property_of(&self, listing: i64) -> &Property {
        &self.properties[&self.listing(listing).property]
    }

    pub(super) fn branch(&self, id: i64) -> &Branch {
        self.branches.iter().find(|one| one.id == id).unwrap()
    }

    /// Those who buy this one with the money of their sale.
    pub(super) fn buyers(&self, listing: i64) -> Vec<i64> {
        let links = self.links.iter();
        let links = links.filter(|(seller, _)| *seller == listing);
        self.sorted(links.map(|(_, buyer)| *buyer).collect())
    }

    /// What the seller of this one buys.
    pub(super) fn sellers(&self, listing: i64) -> Vec<i64> {
        let links = self.links.iter();
        let links = links.filter(|(_, buyer)| *buyer == listing);
        self.sorted(links.map(|(seller, _)| *seller).collect())
    }

    /// All that hang together with a listing, bottom to top (S-9).
    pub(super) fn members(&self, listing: i64) -> Vec<i64> {
        let mut reached = BTreeSet::from([listing]);
        loop {
            let before = reached.len();
            for (seller, buyer) in &self.links {
                if reached.contains(seller) || reached.contains(buyer) {
                    reached.extend([*seller, *buyer]);
                }
            }
            if reached.len() == before {
                return self.sorted(reached.into_iter().collect());
            }
        }
    }

    /// By the longest distance from a bottom, then by id.
    fn sorted(&self, mut listings: Vec<i64>) -> Vec<i64> {
        if listings.len() > 1 {
            let heights = self.heights();
            listings.sort_by_key(|id| (heights.get(id), *id));
        }
        listings
    }

    /// The longest distance of each linked listing from a bottom, raised until every link is
    /// content: the number of paths in a split chain is no good number of steps.
    fn heights(&self) -> BTreeMap<i64, usize> {
        let mut heights: BTreeMap<i64, usize> = BTreeMap::new();
        loop {
            let mut is_raised = false;
            for (seller, buyer) in &self.links {
                let below = *heights.entry(*buyer).or_default();
                let height = heights.entry(*seller).or_default();
                is_raised |= *height <= below;
                *height = (below + 1).max(*height);
            }
            if !is_raised {
                return heights;
            }
        }
    }

    /// All that lie above a listing.
    pub(super) fn above(&self, listing: i64) -> BTreeSet<i64> {
        let mut above = BTreeSet::new();
        let mut from = vec![listing];
        while let Some(one) = from.pop() {
            let sellers = self.links.iter().filter(|(_, buyer)| *buyer == one);
            from.extend(
                sellers
                    .map(|(seller, _)| *seller)
                    .filter(|id| above.insert(*id)),
            );
        }
        above
    }

    /// The members at one end of a chain.
    pub(super) fn ends(&self, listing: i64, is_top: bool) -> Vec<i64> {
        let mut members = self.members(listing);
        members.retain(|id| {
            let beyond = if is_top {
                self.sellers(*id)
            } else {
                self.buyers(*id)
            };
            beyond.is_empty()
        });
        members
    }

    pub(super) fn is_marked(&self, listing: i64, is_top: bool) -> bool {
        let listing = self.listing(listing);
        if is_top {
            listing.top_checked
        } else {
            listing.bottom_checked
        }
    }

    pub(super) fn mark(&mut self, listing: i64, is_top: bool, by: Option<i64>) {
        let listing = self.listing_mut(listing);
        let is_checked = by.is_some();
        listing.checked_by[usize::from(!is_top)] = by;
        if is_top {
            listing.top_checked = is_checked;
        } else {
            listing.bottom_checked = is_checked;
        }
    }

    /// Whether every listing at that end is checked (S-43).
    pub(super) fn is_end_checked(&self, listing: i64, is_top: bool) -> bool {
        let ends = self.ends(listing, is_top);
        ends.iter().all(|id| self.is_marked(*id, is_top))
    }

    /// Somebody of the chain with this id.
    pub(super) fn find_chain(&self, chain: &str) -> Option<i64> {
        let mut live = self.listings.values().filter(|one| !one.is_deleted);
        live.find(|one| one.chain == chain).map(|one| one.id)
    }

    /// One listing of each chain, with the chain's id not looked at.
    pub(super) fn chains(&self) -> Vec<Vec<i64>> {
        let mut left: BTreeSet<i64> = self.live_ids().into_iter().collect();
        let mut chains = Vec::new();
        while let Some(first) = left.first().copied() {
            let members = self.members(first);
            for member in &members {
                left.remove(member);
            }
            chains.push(members);
        }
        chains
    }

    /// How far a sale has come: the highest sequence, 0 for none (document 4).
    pub(super) fn furthest(&self, listing: i64) -> i64 {
        let recorded = self.listing(listing).milestones.keys();
        let kinds = recorded.filter_map(|key| super::catalogue::find(key));
        let progress = kinds.filter(|kind| kind.is_progress);
        progress.map(|kind| kind.sequence).max().unwrap_or(0)
    }
}
