//! The history, replayed in its order: every change must have been allowed where it stands, and
//! its end must be what the store shows.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// An entry as the API shows it.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) id: i64,
    pub(super) listing: i64,
    pub(super) action: String,
    /// The organisation.
    pub(super) by: String,
    pub(super) chain: String,
    pub(super) detail: Value,
}

/// What the history says there is.
#[derive(Debug, Default)]
pub(super) struct Replay {
    /// Seller and buyer.
    pub(super) links: BTreeSet<(i64, i64)>,
    pub(super) chains: BTreeMap<i64, String>,
    /// Listings whose end is checked, and whether it is the top.
    pub(super) marks: BTreeSet<(i64, bool)>,
    /// The organisation that made each of these checks, and the organisation of each listing.
    checked_by: BTreeMap<(i64, bool), String>,
    owners: BTreeMap<i64, String>,
    /// The lowest version that each chain may have.
    pub(super) versions: BTreeMap<String, i64>,
    pub(super) milestones: BTreeMap<(i64, String), String>,
    seen: BTreeSet<String>,
}

impl Replay {
    pub(super) fn begin(
        chains: BTreeMap<i64, String>,
        versions: BTreeMap<String, i64>,
        owners: BTreeMap<i64, String>,
    ) -> Self {
        Self {
            owners,
            seen: chains.values().cloned().collect(),
            chains,
            versions,
            ..Self::default()
        }
    }

    /// Replays all of it, oldest first.
    pub(super) fn run(&mut self, entries: &[Entry]) {
        // A link is noted with both listings; it happens once, where the seller's note stands.
        let mut of_buyers: BTreeMap<(&str, i64, i64), Vec<&Entry>> = BTreeMap::new();
        for entry in entries.iter().rev() {
            if let Some((seller, buyer)) = pair(entry)
                && entry.listing == buyer
            {
                let key = (entry.action.as_str(), seller, buyer);
                of_buyers.entry(key).or_default().push(entry);
            }
        }
        for entry in entries {
            match (entry.action.as_str(), pair(entry)) {
                ("link.added" | "link.broken", Some((seller, buyer))) => {
                    if entry.listing == buyer {
                        continue;
                    }
                    let key = (entry.action.as_str(), seller, buyer);
                    let with = of_buyers.get_mut(&key).and_then(Vec::pop);
                    let with = with.unwrap_or_else(|| panic!("no entry of the buyer: {entry:?}"));
                    if entry.action == "link.added" {
                        self.join((seller, buyer), entry, with);
                    } else {
                        self.part((seller, buyer), entry, with);
                    }
                }
                ("end.checked" | "end.unchecked", None) => self.mark(entry),
                ("milestone.recorded", None) => {
                    let text = |name: &str| entry.detail[name].as_str().unwrap().to_owned();
                    let key = (entry.listing, text("key"));
                    self.milestones.insert(key, text("date"));
                    self.change(entry);
                }
                other => panic!("{other:?}"),
            }
        }
        let is_paired = of_buyers.values().all(Vec::is_empty);
        assert!(is_paired, "entries of buyers alone: {of_buyers:?}");
    }

    /// S-41 to S-43.
    fn join(&mut self, (seller, buyer): (i64, i64), entry: &Entry, with: &Entry) {
        let (above, below) = (self.members(seller), self.members(buyer));
        assert!(above.is_disjoint(&below), "a ring: {entry:?}");
        let is_one_to_one = |(one, other): &(i64, i64)| *one != seller && *other != buyer;
        let is_free = self.links.iter().all(is_one_to_one);
        assert!(is_free, "a second buyer or seller: {entry:?}");
        let keeps = if below.len() > above.len() {
            buyer
        } else {
            seller
        };
        let goes = if keeps == buyer { seller } else { buyer };
        let (survivor, dissolved) = (self.chains[&keeps].clone(), self.chains[&goes].clone());
        let shown = (&entry.chain, &with.chain);
        assert_eq!(shown, (&survivor, &survivor), "{entry:?}");
        self.versions.remove(&dissolved);
        self.links.insert((seller, buyer));
        self.marks.remove(&(buyer, true));
        self.marks.remove(&(seller, false));
        for listing in above.iter().chain(&below) {
            self.chains.insert(*listing, survivor.clone());
        }
        self.raise(&survivor);
    }

    fn part(&mut self, (seller, buyer): (i64, i64), entry: &Entry, with: &Entry) {
        assert!(self.links.remove(&(seller, buyer)), "not linked: {entry:?}");
        let (above, below) = (self.members(seller), self.members(buyer));
        self.clear_checks_of_strangers(&above);
        self.clear_checks_of_strangers(&below);
        let old = self.chains[&seller].clone();
        let (kept, fresh, begins) = if below.len() > above.len() {
            (with, entry, above)
        } else {
            (entry, with, below)
        };
        assert_eq!(kept.chain, old, "{entry:?}");
        let is_new = self.seen.insert(fresh.chain.clone());
        assert!(is_new, "an old id: {fresh:?}");
        for listing in begins {
            self.chains.insert(listing, fresh.chain.clone());
        }
        self.raise(&old);
        self.raise(&fresh.chain);
    }

    /// S-43: checks by an organisation that has no listing left in the part.
    fn clear_checks_of_strangers(&mut self, part: &BTreeSet<i64>) {
        let (owners, checked_by) = (&self.owners, &self.checked_by);
        self.marks.retain(|mark| {
            let is_left = |by: &String| part.iter().any(|listing| owners[listing] == *by);
            !part.contains(&mark.0) || is_left(&checked_by[mark])
        });
    }

    fn mark(&mut self, entry: &Entry) {
        let is_top = entry.detail["end"] == "top";
        let is_covered = |(seller, buyer): &(i64, i64)| {
            let covered = if is_top { *buyer } else { *seller };
            covered == entry.listing
        };
        assert!(!self.links.iter().any(is_covered), "no end: {entry:?}");
        let mark = (entry.listing, is_top);
        self.checked_by.insert(mark, entry.by.clone());
        let is_changed = if entry.action == "end.checked" {
            self.marks.insert(mark)
        } else {
            self.marks.remove(&mark)
        };
        assert!(is_changed, "it was so already: {entry:?}");
        self.change(entry);
    }

    /// Something of one listing changed.
    fn change(&mut self, entry: &Entry) {
        assert_eq!(self.chains[&entry.listing], entry.chain, "{entry:?}");
        let chain = entry.chain.clone();
        self.raise(&chain);
    }

    fn raise(&mut self, chain: &str) {
        *self.versions.entry(chain.to_owned()).or_default() += 1;
    }

    /// All that hang together with a listing.
    pub(super) fn members(&self, listing: i64) -> BTreeSet<i64> {
        let mut reached = BTreeSet::from([listing]);
        loop {
            let before = reached.len();
            for (seller, buyer) in &self.links {
                if reached.contains(seller) || reached.contains(buyer) {
                    reached.extend([*seller, *buyer]);
                }
            }
            if reached.len() == before {
                return reached;
            }
        }
    }

    /// The chain of a listing, bottom to top: nobody has two buyers or two sellers.
    pub(super) fn in_order(&self, listing: i64) -> Vec<i64> {
        let members = self.members(listing);
        let mut links = self.links.iter();
        let is_bottom = |id: &&i64| links.clone().all(|(seller, _)| seller != *id);
        let mut ordered = vec![*members.iter().find(is_bottom).unwrap()];
        while let Some((seller, _)) = links
            .clone()
            .find(|(_, buyer)| ordered.last() == Some(buyer))
        {
            ordered.push(*seller);
        }
        assert!(links.next().is_none() || ordered.len() == members.len());
        ordered
    }
}

/// Seller and buyer, for what happens to a link.
fn pair(entry: &Entry) -> Option<(i64, i64)> {
    let member = |name: &str| entry.detail[name].as_i64();
    Some((member("seller")?, member("buyer")?))
}
