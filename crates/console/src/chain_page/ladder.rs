//! The ladder of a chain: its layers from the top, with the long middle of a long chain folded.

use chain::ids::{ListingId, Uprn};
use jiff::civil::Date;

use super::ChainPage;
use crate::home::Home;
use crate::words;

/// A chain with more homes is folded.
pub(crate) const UNFOLDED_HOMES_MAX: usize = 12;

/// A part of the ladder.
#[derive(Debug)]
pub(crate) enum Rung<'a> {
    /// One layer.
    Layer(Layer<'a>),
    /// Homes that the page leaves out, top first; at least two.
    Fold(Vec<&'a Home>),
}

/// The homes at one distance from the bottom.
#[derive(Debug)]
pub(crate) struct Layer<'a> {
    pub(crate) homes: &'a [Home],
    /// Whether the only home spans all columns.
    pub(crate) is_wide: bool,
}

impl ChainPage {
    /// The rungs, top first.
    pub(crate) fn rungs(&self) -> Vec<Rung<'_>> {
        let is_folded = !self.shows_all_homes && self.length() > UNFOLDED_HOMES_MAX;
        let mut rungs = Vec::new();
        let mut hidden = Vec::new();
        for index in 0..self.layers.len() {
            if is_folded && !self.is_kept(index) {
                hidden.push(index);
            } else {
                self.fold(&mut hidden, &mut rungs);
                rungs.extend(self.layer(index).map(Rung::Layer));
            }
        }
        self.fold(&mut hidden, &mut rungs);
        rungs
    }

    /// A fold in the place of one layer would save nothing.
    fn fold<'a>(&'a self, hidden: &mut Vec<usize>, rungs: &mut Vec<Rung<'a>>) {
        let layers = hidden.iter();
        if hidden.len() < 2 {
            rungs.extend(
                layers
                    .filter_map(|index| self.layer(*index))
                    .map(Rung::Layer),
            );
        } else {
            let homes = layers.filter_map(|index| self.layers.get(*index));
            rungs.push(Rung::Fold(homes.flatten().collect()));
        }
        hidden.clear();
    }

    /// The ends, the viewer's homes, those that hold the chain, and their neighbours.
    fn is_kept(&self, index: usize) -> bool {
        let is_end = index == 0 || index + 1 == self.layers.len();
        let matters =
            |home: &Home| home.is_own || self.holds(home) || home.fell_through().is_some();
        let around = self.layers.iter().skip(index.saturating_sub(1));
        let mut around = around.take(if index == 0 { 2 } else { 3 }).flatten();
        is_end || around.any(matters)
    }

    fn layer(&self, index: usize) -> Option<Layer<'_>> {
        let homes = self.layers.get(index)?;
        let above = index
            .checked_sub(1)
            .and_then(|index| self.layers.get(index));
        let below = self.layers.get(index + 1);
        let is_wide = match homes.as_slice() {
            [home] => {
                let buys = |other: &Home| home.onward_purchase.contains(&other.uprn);
                let sells = |other: &Home| home.buyers_sale.contains(&other.uprn);
                above.is_none_or(|layer| layer.iter().all(buys))
                    && below.is_none_or(|layer| layer.iter().all(sells))
            }
            _ => false,
        };
        Some(Layer { homes, is_wide })
    }

    /// The number of homes.
    pub(crate) fn length(&self) -> usize {
        self.layers.iter().map(Vec::len).sum()
    }

    /// The number of columns, at least 1 and at most the number for which there is a class.
    pub(crate) fn columns(&self) -> usize {
        let columns = self.homes().map(|home| home.column).max();
        columns.unwrap_or(1).clamp(1, COLUMNS_MAX)
    }

    /// The homes, top first.
    pub(crate) fn homes(&self) -> impl Iterator<Item = &Home> {
        self.layers.iter().flatten()
    }

    pub(crate) fn find(&self, uprn: Uprn) -> Option<&Home> {
        self.homes().find(|home| home.uprn == uprn)
    }

    /// The short name of a home, or its UPRN for a home outside the chain.
    pub(crate) fn name_of(&self, uprn: Uprn) -> String {
        let home = self.find(uprn);
        home.map_or_else(|| format!("UPRN {uprn}"), Home::name)
    }

    /// The short names of homes, in the order given.
    pub(crate) fn names_of(&self, uprns: &[Uprn]) -> String {
        let names: Vec<_> = uprns.iter().map(|uprn| self.name_of(*uprn)).collect();
        words::joined(&names)
    }

    /// The short name of a sale's home, or the sale's number for a sale outside the chain.
    pub(crate) fn name_of_sale(&self, listing: ListingId) -> String {
        let home = self.find_sale(listing);
        home.map_or_else(|| format!("Sale {listing}"), Home::name)
    }

    /// The day on which a sale of the chain fell through.
    pub(crate) fn fell_through(&self, listing: ListingId) -> Option<Date> {
        self.find_sale(listing)?.fell_through()
    }

    fn find_sale(&self, listing: ListingId) -> Option<&Home> {
        self.homes().find(|home| home.listing == listing)
    }

    /// Whether the home holds the chain up, alone or with another one.
    pub(crate) fn holds(&self, home: &Home) -> bool {
        self.hold
            .as_ref()
            .is_some_and(|hold| hold.names(home.listing))
    }
}

/// The style sheet has a class for each column.
const COLUMNS_MAX: usize = 6;
