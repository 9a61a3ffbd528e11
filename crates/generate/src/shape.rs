//! Draws the shapes of chains: the number of sales, and which seller buys which property.

use super::random::Random;

/// A chain as numbered places, from the bottom up: a link leads from a lower number to a higher
/// one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    /// The number of listings in the chain, at least 1.
    pub(super) length: usize,
    /// The links, each from a buyer to the seller above.
    pub(super) links: Vec<ShapeLink>,
    /// The place where the chain splits; `None` when it does not.
    pub(super) fork: Option<Fork>,
}

/// The place of the buyer's listing, and the place of the listing that is bought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ShapeLink {
    pub(super) buyer: usize,
    pub(super) seller: usize,
}

/// A place with two neighbours on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fork {
    /// The seller at this place buys two properties.
    TwoPurchases(usize),
    /// The buyer of the property at this place sells two.
    TwoSales(usize),
}

impl Shape {
    /// Draws a chain of 1 to `max_length` listings.
    ///
    /// Lengths follow the geometric distribution with mean 2.5, cut at [`LENGTH_MAX`]. One chain in
    /// fifty is a split chain of three to six listings instead.
    pub(super) fn draw(random: &mut Random, max_length: u64) -> Self {
        let max_length = usize::try_from(max_length)
            .unwrap_or(LENGTH_MAX)
            .min(LENGTH_MAX);
        if max_length >= SPLIT_MAX && random.chance(SPLIT_PER_THOUSAND) {
            return Self::draw_split(random);
        }
        let mut length = 1;
        while length < max_length && random.chance(LONGER_PER_THOUSAND) {
            length += 1;
        }
        Self::straight(length)
    }

    /// Whether the link touches the fork, so that its row must allow a split chain.
    pub(super) fn is_split_link(&self, link: ShapeLink) -> bool {
        match self.fork {
            None => false,
            Some(Fork::TwoPurchases(place)) => link.buyer == place,
            Some(Fork::TwoSales(place)) => link.seller == place,
        }
    }

    /// The places with a buyer who sells no other property of the chain.
    pub(super) fn bottoms(&self) -> Vec<usize> {
        let is_bottom = |place: &usize| self.links.iter().all(|link| link.seller != *place);
        (0..self.length).filter(is_bottom).collect()
    }

    /// The places with a seller who buys nothing further.
    pub(super) fn tops(&self) -> Vec<usize> {
        let is_top = |place: &usize| self.links.iter().all(|link| link.buyer != *place);
        (0..self.length).filter(is_top).collect()
    }

    fn straight(length: usize) -> Self {
        let links = (1..length).map(|seller| ShapeLink {
            buyer: seller - 1,
            seller,
        });
        Self {
            length,
            links: links.collect(),
            fork: None,
        }
    }

    /// Draws a Y, upright or inverted: a stem, and two arms of one or two listings.
    fn draw_split(random: &mut Random) -> Self {
        let stem = 1 + random.index(2);
        let arms = [1 + random.index(2), 1 + random.index(2)];
        let length = stem + arms[0] + arms[1];
        let mut links = Self::straight(stem).links;
        let fork = stem - 1;
        let mut next = stem;
        for arm in arms {
            let mut below = fork;
            for seller in next..next + arm {
                links.push(ShapeLink {
                    buyer: below,
                    seller,
                });
                below = seller;
            }
            next += arm;
        }
        if random.chance(500) {
            return Self {
                length,
                links,
                fork: Some(Fork::TwoPurchases(fork)),
            };
        }
        // Inverting the Y makes the lowest place the highest.
        let turn = |place: usize| length - 1 - place;
        let mut links: Vec<ShapeLink> = links
            .into_iter()
            .map(|link| ShapeLink {
                buyer: turn(link.seller),
                seller: turn(link.buyer),
            })
            .collect();
        links.reverse();
        Self {
            length,
            links,
            fork: Some(Fork::TwoSales(turn(fork))),
        }
    }
}

/// Well under the limit of 100 listings (S-54); longer chains would be extremely rare.
pub(super) const LENGTH_MAX: usize = 40;

/// The chance of a further listing; it gives the mean length 2.5 = 1 / (1 - 0.6).
const LONGER_PER_THOUSAND: u64 = 600;

const SPLIT_PER_THOUSAND: u64 = 20;

/// The longest split chain: a stem and two arms of two listings.
const SPLIT_MAX: usize = 6;
