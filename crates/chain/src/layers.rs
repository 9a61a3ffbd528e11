//! How a chain is drawn: its listings in layers and columns.

use std::collections::BTreeMap;

use crate::ids::ListingId;
use crate::state::Chain;

/// A listing's place in the drawing of its chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The listing.
    pub listing: ListingId,
    /// The place from left to right, counted from 1. Linked listings share a column where they can.
    pub column: usize,
}

impl Chain {
    /// The listings by their longest distance from a bottom, top first. Each layer is sorted by column,
    /// and no layer is empty.
    pub fn layers(&self) -> Vec<Vec<Place>> {
        let mut heights: BTreeMap<ListingId, usize> = BTreeMap::new();
        let mut layers: Vec<Vec<ListingId>> = Vec::new();
        // Listings below come first.
        for listing in self.listings() {
            let below = self.buyers_sales(*listing).iter();
            let height = below.filter_map(|other| heights.get(other)).max();
            let height = height.map_or(0, |height| height + 1);
            heights.insert(*listing, height);
            match layers.get_mut(height) {
                Some(layer) => layer.push(*listing),
                None => layers.push(vec![*listing]),
            }
        }
        let mut columns: BTreeMap<ListingId, usize> = BTreeMap::new();
        let mut drawn = Vec::with_capacity(layers.len());
        for layer in layers.iter().rev() {
            let mut places: Vec<Place> = Vec::with_capacity(layer.len());
            for listing in layer {
                let is_free = |column: &usize| places.iter().all(|place| place.column != *column);
                let above = self.onward_purchases(*listing).iter();
                let mut above = above.filter_map(|other| columns.get(other).copied());
                let column = above.find(is_free);
                let column = column.or_else(|| (1..=self.length()).find(is_free));
                places.push(Place {
                    listing: *listing,
                    column: column.unwrap_or(1),
                });
            }
            columns.extend(places.iter().map(|place| (place.listing, place.column)));
            places.sort_by_key(|place| place.column);
            drawn.push(places);
        }
        drawn
    }
}
