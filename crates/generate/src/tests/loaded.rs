//! Reads a sample back and checks every row.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chain::ids::Uprn;
use import::row::{ChainEnd, ListingRow, MilestoneRow, PropertyRow, Row};
use jiff::civil::Date;

/// A sample as an importer holds it. Building it checks that every line is a valid row in its
/// canonical form and names only earlier rows.
#[derive(Default)]
pub(super) struct Loaded {
    pub(super) branches: BTreeSet<String>,
    pub(super) properties: HashMap<Uprn, PropertyRow>,
    pub(super) listings: Vec<ListingRow>,
    /// Listings by branch and external id.
    pub(super) numbers: HashMap<(String, String), usize>,
    pub(super) milestones: HashMap<usize, Vec<MilestoneRow>>,
    /// The buyer's listing, the seller's listing, and whether the row allows a split chain.
    pub(super) links: Vec<(usize, usize, bool)>,
    pub(super) checks: Vec<(usize, ChainEnd)>,
    pub(super) row_types: BTreeSet<&'static str>,
}

impl Loaded {
    pub(super) fn new(text: &str) -> Self {
        let mut loaded = Self::default();
        for line in text.lines() {
            let row = Row::from_json(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert_eq!(serde_json::to_string(&row).unwrap(), line);
            loaded.add(row);
        }
        loaded
    }

    pub(super) fn add(&mut self, row: Row) {
        let row_type = match row {
            Row::Branch(row) => {
                assert!(self.branches.insert(row.branch));
                "branch"
            }
            Row::Property(row) => {
                assert!(self.properties.insert(row.uprn, row).is_none());
                "property"
            }
            Row::Listing(row) => {
                assert!(self.branches.contains(&row.branch));
                assert!(self.properties.contains_key(&row.uprn));
                let name = (row.branch.clone(), row.listing.clone());
                assert!(self.numbers.insert(name, self.listings.len()).is_none());
                self.listings.push(row);
                "listing"
            }
            Row::Party(row) => {
                self.number(&row.branch, &row.listing);
                "party"
            }
            Row::Milestone(row) => {
                let number = self.number(&row.branch, &row.listing);
                self.milestones.entry(number).or_default().push(row);
                "milestone"
            }
            Row::Link(row) => {
                let buyer = self.number(&row.buyer_branch, &row.buyer);
                let seller = self.number(&row.seller_branch, &row.seller);
                assert_ne!(buyer, seller);
                self.links.push((buyer, seller, row.split));
                "link"
            }
            Row::EndCheck(row) => {
                self.checks
                    .push((self.number(&row.branch, &row.listing), row.end));
                "end_check"
            }
        };
        self.row_types.insert(row_type);
    }

    fn number(&self, branch: &str, listing: &str) -> usize {
        self.numbers[&(branch.to_owned(), listing.to_owned())]
    }

    /// The listings of each chain, found by the links.
    pub(super) fn chains(&self) -> Vec<Vec<usize>> {
        let mut first: Vec<usize> = (0..self.listings.len()).collect();
        for (buyer, seller, _) in &self.links {
            let (one, other) = (find_first(&first, *buyer), find_first(&first, *seller));
            assert_ne!(one, other, "a ring");
            first[one.max(other)] = one.min(other);
        }
        let mut chains: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for number in 0..self.listings.len() {
            chains
                .entry(find_first(&first, number))
                .or_default()
                .push(number);
        }
        chains.into_values().collect()
    }

    /// How often each listing is a buyer, and how often it is a seller.
    pub(super) fn neighbours(&self) -> (HashMap<usize, usize>, HashMap<usize, usize>) {
        let (mut above, mut below) = (HashMap::new(), HashMap::new());
        for (buyer, seller, _) in &self.links {
            *above.entry(*buyer).or_default() += 1;
            *below.entry(*seller).or_default() += 1;
        }
        (above, below)
    }

    pub(super) fn date_of(&self, listing: usize, key: &str) -> Option<Date> {
        let milestones = self.milestones.get(&listing)?;
        let found = milestones.iter().find(|row| row.milestone_type.key == key);
        found.map(|row| row.date)
    }
}

/// The first listing of a chain, according to the links read so far.
fn find_first(first: &[usize], mut number: usize) -> usize {
    while first[number] != number {
        number = first[number];
    }
    number
}
