//! The order of listings from bottom to top, and the direct neighbours of each listing.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::ids::{ListingId, PropertyId};

/// The largest number of listings in a chain (S-54).
pub const MAX_LISTINGS: usize = 100;

/// A link: whoever sells the buyer listing buys the seller listing. The buyer listing lies below
/// the seller listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// The upper listing, which is bought.
    pub seller: ListingId,
    /// The lower listing. Its seller buys the upper one.
    pub buyer: ListingId,
}

/// Why members and links do not form one chain. Stored chains are never malformed, unless the
/// store is damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum MalformedChain {
    /// There is no listing.
    #[error("a chain has at least one listing")]
    Empty,
    /// There are more than `MAX_LISTINGS` listings.
    #[error("the chain has {length} listings, but at most {MAX_LISTINGS} are allowed")]
    TooLong {
        /// The number of listings given.
        length: usize,
    },
    /// A listing is given twice.
    #[error("listing {listing} is in the chain twice; name each listing once")]
    DuplicateListing {
        /// The listing.
        listing: ListingId,
    },
    /// A link is given twice.
    #[error(
        "seller listing {} and buyer listing {} are linked twice; name each link once",
        link.seller,
        link.buyer
    )]
    DuplicateLink {
        /// The link.
        link: Link,
    },
    /// A link names a listing that is not a member.
    #[error("a link names listing {listing}, which is not in the chain")]
    NotInChain {
        /// The listing.
        listing: ListingId,
    },
    /// A listing would lie above itself.
    #[error("the links close a ring; no listing may lie above itself")]
    Ring,
    /// The links do not connect all listings.
    #[error("no links connect listing {listing} with the lowest listing of the chain")]
    Disconnected {
        /// The lowest listing that links do not connect with the first one.
        listing: ListingId,
    },
}

/// Listings in the order of S-9: by the longest distance from a bottom, then by listing id.
///
/// Every set of listings and links without a directed ring has this order: connected or not,
/// straight or split. A position is an index into the order, counted from 0 at the bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Order {
    listings: Vec<ListingId>,
    links: Vec<Link>,
    above: Neighbours<ListingId>,
    below: Neighbours<ListingId>,
    tops: Vec<ListingId>,
    bottoms: Vec<ListingId>,
    /// The listings sorted by id.
    by_id: Vec<ListingId>,
    /// The position of each listing of `by_id`.
    positions: Vec<usize>,
}

/// The neighbours of nodes that are numbered from 0, in one allocation: the neighbours of node
/// `n` are `items[starts[n]..starts[n + 1]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Neighbours<T> {
    starts: Vec<usize>,
    items: Vec<T>,
}

/// A link as two indexes. The buyer's index comes first, so that sorting goes from bottom to top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    buyer: usize,
    seller: usize,
}

impl Order {
    /// Orders the listings. Fails with `DuplicateListing`, `NotInChain`, `DuplicateLink` or `Ring`.
    /// Takes O(n log n) time for n listings and links.
    pub(crate) fn new(listings: Vec<ListingId>, links: Vec<Link>) -> Result<Self, MalformedChain> {
        let by_id = sort_by_id(listings)?;
        let mut edges = find_edges(&by_id, links)?;
        let heights = measure_heights(by_id.len(), &edges).ok_or(MalformedChain::Ring)?;

        // The indexes rise with the listing id, so a stable sort by height gives the order of S-9.
        let mut indexes: Vec<usize> = (0..by_id.len()).collect();
        indexes.sort_by_key(|index| heights[*index]);
        let listings: Vec<ListingId> = indexes.iter().map(|index| by_id[*index]).collect();
        let mut positions = vec![0; by_id.len()];
        for (position, index) in indexes.iter().enumerate() {
            positions[*index] = position;
        }

        for edge in &mut edges {
            edge.buyer = positions[edge.buyer];
            edge.seller = positions[edge.seller];
        }
        edges.sort_unstable();
        let links = edges.iter().map(|edge| edge.link(&listings)).collect();
        let sellers = edges.iter().map(|edge| (edge.buyer, listings[edge.seller]));
        let above = Neighbours::new(listings.len(), sellers);
        edges.sort_unstable_by_key(|edge| (edge.seller, edge.buyer));
        let buyers = edges.iter().map(|edge| (edge.seller, listings[edge.buyer]));
        let below = Neighbours::new(listings.len(), buyers);
        Ok(Self {
            tops: above.find_lonely(&listings),
            bottoms: below.find_lonely(&listings),
            listings,
            links,
            above,
            below,
            by_id,
            positions,
        })
    }

    /// The listings, bottom to top.
    pub(crate) fn listings(&self) -> &[ListingId] {
        &self.listings
    }

    /// The links, sorted by the position of the buyer, then of the seller.
    pub(crate) fn links(&self) -> &[Link] {
        &self.links
    }

    /// The listings with nothing above them, bottom to top.
    pub(crate) fn tops(&self) -> &[ListingId] {
        &self.tops
    }

    /// The listings with nothing below them, sorted by id.
    pub(crate) fn bottoms(&self) -> &[ListingId] {
        &self.bottoms
    }

    /// The position of a listing; `None` for an unknown listing.
    pub(crate) fn position(&self, listing: ListingId) -> Option<usize> {
        let index = self.by_id.binary_search(&listing).ok()?;
        self.positions.get(index).copied()
    }

    /// The listings directly above, in this order; empty for an unknown listing.
    pub(crate) fn onward_purchases(&self, listing: ListingId) -> &[ListingId] {
        self.position(listing)
            .map_or(&[], |position| self.above.of(position))
    }

    /// The listings directly below, in this order; empty for an unknown listing.
    pub(crate) fn buyers_sales(&self, listing: ListingId) -> &[ListingId] {
        self.position(listing)
            .map_or(&[], |position| self.below.of(position))
    }

    /// Whether a way up leads from `lower` to `upper`. No listing lies above itself.
    pub(crate) fn lies_above(&self, upper: ListingId, lower: ListingId) -> bool {
        let (Some(upper), Some(lower)) = (self.position(upper), self.position(lower)) else {
            return false;
        };
        let mut is_reached = vec![false; self.listings.len()];
        is_reached[lower] = true;
        // A listing comes later in the order than every listing below it, so one pass is enough.
        for position in lower..upper {
            if is_reached[position] {
                for listing in self.above.of(position) {
                    if let Some(next) = self.position(*listing) {
                        is_reached[next] = true;
                    }
                }
            }
        }
        upper != lower && is_reached[upper]
    }

    /// The listings that links connect with this one, itself included, in this order. The link
    /// `broken` counts as absent. Empty for an unknown listing.
    pub(crate) fn find_piece(&self, listing: ListingId, broken: Option<Link>) -> Vec<ListingId> {
        let is_broken = |seller, buyer| broken == Some(Link { seller, buyer });
        let mut is_reached = vec![false; self.listings.len()];
        let mut pending: Vec<usize> = self.position(listing).into_iter().collect();
        while let Some(position) = pending.pop() {
            if std::mem::replace(&mut is_reached[position], true) {
                continue;
            }
            let here = self.listings[position];
            let sellers = self.above.of(position).iter();
            let buyers = self.below.of(position).iter();
            let up = sellers.filter(|seller| !is_broken(**seller, here));
            let down = buyers.filter(|buyer| !is_broken(here, **buyer));
            pending.extend(up.chain(down).filter_map(|next| self.position(*next)));
        }
        let listings = self.listings.iter().zip(is_reached);
        listings
            .filter_map(|(listing, is_reached)| is_reached.then_some(*listing))
            .collect()
    }
}

/// Whether a home would lie above itself, for pairs of a lower home and one directly above it.
pub(crate) fn is_ring_of_homes(pairs: &[(PropertyId, PropertyId)]) -> bool {
    let homes = pairs.iter().flat_map(|(lower, upper)| [*lower, *upper]);
    let homes: BTreeSet<PropertyId> = homes.collect();
    let homes: Vec<_> = homes.into_iter().collect();
    let place = |home| homes.partition_point(|other| *other < home);
    let edges = pairs.iter().map(|(lower, upper)| Edge {
        buyer: place(*lower),
        seller: place(*upper),
    });
    let mut edges: Vec<_> = edges.collect();
    edges.sort_unstable();
    measure_heights(homes.len(), &edges).is_none()
}

fn sort_by_id(mut listings: Vec<ListingId>) -> Result<Vec<ListingId>, MalformedChain> {
    listings.sort_unstable();
    match listings.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(MalformedChain::DuplicateListing { listing: pair[0] }),
        None => Ok(listings),
    }
}

/// The links as indexes into the sorted listings, sorted by buyer.
fn find_edges(by_id: &[ListingId], links: Vec<Link>) -> Result<Vec<Edge>, MalformedChain> {
    let find = |listing: ListingId| {
        by_id
            .binary_search(&listing)
            .map_err(|_| MalformedChain::NotInChain { listing })
    };
    let mut edges = Vec::with_capacity(links.len());
    for link in links {
        edges.push(Edge {
            buyer: find(link.buyer)?,
            seller: find(link.seller)?,
        });
    }
    edges.sort_unstable();
    match edges.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(MalformedChain::DuplicateLink {
            link: pair[0].link(by_id),
        }),
        None => Ok(edges),
    }
}

/// The longest distance of each of `count` nodes from a bottom; `None` when the edges, sorted by
/// buyer, close a ring. Kahn's algorithm: a node is done when every node below it is done.
fn measure_heights(count: usize, edges: &[Edge]) -> Option<Vec<usize>> {
    let above = Neighbours::new(count, edges.iter().map(|edge| (edge.buyer, edge.seller)));
    let mut undone_below = vec![0_usize; count];
    for edge in edges {
        undone_below[edge.seller] += 1;
    }
    let mut heights = vec![0; count];
    let mut done: Vec<usize> = Vec::with_capacity(count);
    done.extend((0..count).filter(|node| undone_below[*node] == 0));
    let mut next = 0;
    while let Some(&node) = done.get(next) {
        next += 1;
        for &seller in above.of(node) {
            heights[seller] = heights[seller].max(heights[node] + 1);
            undone_below[seller] -= 1;
            if undone_below[seller] == 0 {
                done.push(seller);
            }
        }
    }
    (done.len() == count).then_some(heights)
}

impl Edge {
    fn link(self, listings: &[ListingId]) -> Link {
        Link {
            seller: listings[self.seller],
            buyer: listings[self.buyer],
        }
    }
}

impl<T> Neighbours<T> {
    /// Takes (node, neighbour) pairs that are sorted by node. Every node is below `count`.
    fn new(count: usize, pairs: impl ExactSizeIterator<Item = (usize, T)>) -> Self {
        let mut starts = Vec::with_capacity(count + 1);
        let mut items = Vec::with_capacity(pairs.len());
        for (node, neighbour) in pairs {
            while starts.len() <= node {
                starts.push(items.len());
            }
            items.push(neighbour);
        }
        starts.resize(count + 1, items.len());
        Self { starts, items }
    }

    fn of(&self, node: usize) -> &[T] {
        &self.items[self.starts[node]..self.starts[node + 1]]
    }

    /// The listings of nodes without neighbours. Node `n` stands for `listings[n]`.
    fn find_lonely(&self, listings: &[ListingId]) -> Vec<ListingId> {
        let nodes = listings.iter().enumerate();
        nodes
            .filter(|(node, _)| self.of(*node).is_empty())
            .map(|(_, listing)| *listing)
            .collect()
    }
}
