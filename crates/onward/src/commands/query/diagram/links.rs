//! Finds which drawn property lies above which, from the connections of each.

use std::collections::{BTreeMap, BTreeSet};

use client::wire::Property;

/// The most connections that are read on each side of one property.
const CONNECTIONS_LIMIT: usize = 200;

/// The state of one end of a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum End {
    /// Confirmed: the chain ends here (S-10).
    Closed,
    /// Not confirmed: no further property is known.
    Open,
    /// The property names a connection that cannot be drawn.
    Unknown,
}

/// The links between properties in order from the top to the bottom. A link always leads from an
/// earlier place to a later one, so the drawing ends whatever the answer contains.
pub(super) struct Links {
    below: Vec<Vec<usize>>,
    tops: Vec<End>,
    bottoms: Vec<End>,
}

impl Links {
    pub(super) fn between(properties: &[&Property]) -> Self {
        let mut places = BTreeMap::new();
        for (place, property) in properties.iter().enumerate() {
            places.entry(property.uprn).or_insert(place);
        }
        let mut links = BTreeSet::new();
        let mut tops = Vec::new();
        let mut bottoms = Vec::new();
        for (place, property) in properties.iter().enumerate() {
            let connections = &property.connections;
            let above = resolve(&connections.onward_purchase, &places, |other| other < place);
            let below = resolve(&connections.buyers_sale, &places, |other| other > place);
            links.extend(above.found.iter().map(|&upper| (upper, place)));
            links.extend(below.found.iter().map(|&lower| (place, lower)));
            tops.push(above.end(property.is_top_closed));
            bottoms.push(below.end(property.is_bottom_closed));
        }
        let mut below = vec![Vec::new(); properties.len()];
        for (upper, lower) in links {
            if let Some(list) = below.get_mut(upper) {
                list.push(lower);
            }
        }
        Self {
            below,
            tops,
            bottoms,
        }
    }

    /// The places directly below `place`.
    pub(super) fn below(&self, place: usize) -> &[usize] {
        self.below.get(place).map_or(&[], Vec::as_slice)
    }

    /// The state of the top end, for a property with nothing above it.
    pub(super) fn top(&self, place: usize) -> End {
        self.tops.get(place).copied().unwrap_or(End::Unknown)
    }

    /// The state of the bottom end, for a property with nothing below it.
    pub(super) fn bottom(&self, place: usize) -> End {
        self.bottoms.get(place).copied().unwrap_or(End::Unknown)
    }
}

/// One side of a property: the places of its connections, and whether one has no place.
struct Side {
    found: Vec<usize>,
    is_loose: bool,
}

impl Side {
    fn end(&self, is_closed: bool) -> End {
        match (self.is_loose, is_closed) {
            (true, _) => End::Unknown,
            (false, true) => End::Closed,
            (false, false) => End::Open,
        }
    }
}

fn resolve(
    uprns: &[u64],
    places: &BTreeMap<u64, usize>,
    is_on_this_side: impl Fn(usize) -> bool,
) -> Side {
    let mut side = Side {
        found: Vec::new(),
        is_loose: uprns.len() > CONNECTIONS_LIMIT,
    };
    for uprn in uprns.iter().take(CONNECTIONS_LIMIT) {
        match places.get(uprn) {
            Some(&place) if is_on_this_side(place) => side.found.push(place),
            Some(_) | None => side.is_loose = true,
        }
    }
    side
}
