//! The order of listings from bottom to top, and who stands directly above and below whom.

use crate::ids::ListingId;
use crate::state::{Link, MalformedChain};

/// Listings in the order of S-9: by the longest distance from a bottom, then by listing id.
///
/// It holds for any set of listings and links without a directed ring: connected or not, straight
/// or split. A position is an index into that order, counted from 0 at the bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    listings: Vec<ListingId>,
    links: Vec<Link>,
    above: Neighbours<ListingId>,
    below: Neighbours<ListingId>,
    tops: Vec<ListingId>,
    bottoms: Vec<ListingId>,
    /// The listings by id, and the position of each.
    by_id: Vec<ListingId>,
    positions: Vec<usize>,
}

/// The neighbours of each of a row of nodes, in one allocation: those of node `n` are
/// `items[starts[n]..starts[n + 1]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Neighbours<T> {
    starts: Vec<usize>,
    items: Vec<T>,
}

/// A link as two indexes, the buyer's before the seller's, so that sorting goes bottom to top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    buyer: usize,
    seller: usize,
}

impl Order {
    /// Orders the listings. Fails with `DuplicateListing`, `Stranger`, `DuplicateLink` or `Ring`.
    /// Takes O(n log n) time for n listings and links.
    pub fn new(listings: Vec<ListingId>, links: Vec<Link>) -> Result<Self, MalformedChain> {
        let mut by_id = listings;
        by_id.sort_unstable();
        if let Some(pair) = by_id.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(MalformedChain::DuplicateListing { listing: pair[0] });
        }
        let mut edges = find_edges(&by_id, &links)?;
        let heights = measure_heights(by_id.len(), &edges).ok_or(MalformedChain::Ring)?;

        // The indexes rise with the listing id, so a stable sort by height is the whole order.
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
        let mut links = links;
        links.clear();
        links.extend(edges.iter().map(|edge| edge.link(&listings)));
        let above = Neighbours::new(
            listings.len(),
            edges.iter().map(|edge| (edge.buyer, listings[edge.seller])),
        );
        edges.sort_unstable_by_key(|edge| (edge.seller, edge.buyer));
        let below = Neighbours::new(
            listings.len(),
            edges.iter().map(|edge| (edge.seller, listings[edge.buyer])),
        );
        let tops = above.find_lonely(&listings);
        let bottoms = below.find_lonely(&listings);
        Ok(Self {
            listings,
            links,
            above,
            below,
            tops,
            bottoms,
            by_id,
            positions,
        })
    }

    /// The listings, bottom to top.
    pub fn listings(&self) -> &[ListingId] {
        &self.listings
    }

    /// The links, by the position of the buyer, then of the seller.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The listings with nothing above them, bottom to top.
    pub fn tops(&self) -> &[ListingId] {
        &self.tops
    }

    /// The listings with nothing below them, in order of their ids.
    pub fn bottoms(&self) -> &[ListingId] {
        &self.bottoms
    }

    /// The position of a listing, 0 at the bottom; `None` for a stranger.
    pub fn position(&self, listing: ListingId) -> Option<usize> {
        let index = self.by_id.binary_search(&listing).ok()?;
        self.positions.get(index).copied()
    }

    /// The listings directly above, in this order; empty for a stranger.
    pub fn onward_purchases(&self, listing: ListingId) -> &[ListingId] {
        self.position(listing)
            .map_or(&[], |position| self.above.of(position))
    }

    /// The listings directly below, in this order; empty for a stranger.
    pub fn buyers_sales(&self, listing: ListingId) -> &[ListingId] {
        self.position(listing)
            .map_or(&[], |position| self.below.of(position))
    }

    /// Whether `upper` can be reached from `lower` upwards. No listing lies above itself.
    pub fn lies_above(&self, upper: ListingId, lower: ListingId) -> bool {
        let (Some(upper), Some(lower)) = (self.position(upper), self.position(lower)) else {
            return false;
        };
        let mut is_reached = vec![false; self.listings.len()];
        is_reached[lower] = true;
        // Every listing above stands later in the order, so one pass reaches all of them.
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

    /// The listings that hang together with this one, itself included, in this order; as if the
    /// link `broken` were not there. Empty for a stranger.
    pub fn find_piece(&self, listing: ListingId, broken: Option<Link>) -> Vec<ListingId> {
        let mut is_reached = vec![false; self.listings.len()];
        let mut pending = Vec::new();
        if let Some(position) = self.position(listing) {
            is_reached[position] = true;
            pending.push(position);
        }
        while let Some(position) = pending.pop() {
            let here = self.listings[position];
            let sellers = self.above.of(position).iter();
            let buyers = self.below.of(position).iter();
            let links = sellers
                .map(|seller| {
                    (
                        *seller,
                        Link {
                            seller: *seller,
                            buyer: here,
                        },
                    )
                })
                .chain(buyers.map(|buyer| {
                    (
                        *buyer,
                        Link {
                            seller: here,
                            buyer: *buyer,
                        },
                    )
                }));
            for (neighbour, link) in links {
                let next = self.position(neighbour);
                if let Some(next) = next.filter(|next| Some(link) != broken && !is_reached[*next]) {
                    is_reached[next] = true;
                    pending.push(next);
                }
            }
        }
        let listings = self.listings.iter().zip(is_reached);
        listings
            .filter_map(|(listing, is_reached)| is_reached.then_some(*listing))
            .collect()
    }
}

/// The links as indexes into the sorted listings, sorted by buyer and without doubles.
fn find_edges(by_id: &[ListingId], links: &[Link]) -> Result<Vec<Edge>, MalformedChain> {
    let find = |listing: ListingId| {
        by_id
            .binary_search(&listing)
            .map_err(|_| MalformedChain::Stranger { listing })
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

/// For each of `count` nodes its longest distance from a bottom; `None` when the edges, sorted by
/// buyer, close a ring. Kahn's algorithm: a node is done when every node below it is.
fn measure_heights(count: usize, edges: &[Edge]) -> Option<Vec<usize>> {
    let above = Neighbours::new(count, edges.iter().map(|edge| (edge.buyer, edge.seller)));
    let mut waiting_for = vec![0_usize; count];
    for edge in edges {
        waiting_for[edge.seller] += 1;
    }
    let mut heights = vec![0; count];
    let mut done: Vec<usize> = Vec::with_capacity(count);
    done.extend((0..count).filter(|node| waiting_for[*node] == 0));
    let mut next = 0;
    while let Some(&node) = done.get(next) {
        next += 1;
        for &seller in above.of(node) {
            heights[seller] = heights[seller].max(heights[node] + 1);
            waiting_for[seller] -= 1;
            if waiting_for[seller] == 0 {
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
    /// Takes (node, neighbour) pairs that are sorted by node, each node below `count`.
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

    /// The listings, one a node, whose node has no neighbours.
    fn find_lonely(&self, listings: &[ListingId]) -> Vec<ListingId> {
        let nodes = listings.iter().enumerate();
        nodes
            .filter(|(node, _)| self.of(*node).is_empty())
            .map(|(_, listing)| *listing)
            .collect()
    }
}
