//! Addresses in memory, with the index that a store keeps.

use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;

use address::{Candidate, Probe, index_tokens};

/// Addresses and their index.
pub(crate) struct Store {
    addresses: Vec<Candidate<usize>>,
    ids: HashMap<String, usize>,
    index: HashMap<i32, Vec<usize>>,
    tokens: usize,
    tokens_most: usize,
}

impl Store {
    pub(crate) fn new(displays: &[String]) -> Self {
        let mut store = Self {
            addresses: Vec::with_capacity(displays.len()),
            ids: HashMap::new(),
            index: HashMap::new(),
            tokens: 0,
            tokens_most: 0,
        };
        for (id, display) in displays.iter().enumerate() {
            let candidate = split(id, display);
            let tokens = index_tokens(&candidate.known());
            store.tokens += tokens.len();
            store.tokens_most = store.tokens_most.max(tokens.len());
            for token in tokens {
                store.index.entry(token).or_default().push(id);
            }
            store.ids.insert(display.clone(), id);
            store.addresses.push(candidate);
        }
        store
    }

    pub(crate) fn len(&self) -> usize {
        self.addresses.len()
    }

    pub(crate) fn tokens_mean(&self) -> f64 {
        self.tokens as f64 / self.addresses.len() as f64
    }

    pub(crate) fn tokens_most(&self) -> usize {
        self.tokens_most
    }

    pub(crate) fn display(&self, id: usize) -> &str {
        &self.addresses[id].display_address
    }

    pub(crate) fn id_of(&self, display: &str) -> Option<usize> {
        self.ids.get(display).copied()
    }

    pub(crate) fn find(
        &self,
        probe: &Probe,
        limit: usize,
        without: Option<usize>,
    ) -> Result<Vec<Candidate<usize>>, Infallible> {
        let mut groups = probe.all_of.iter().map(|group| {
            let lists = group.iter().filter_map(|token| self.index.get(token));
            lists.flatten().copied().collect::<BTreeSet<usize>>()
        });
        let mut found = groups.next().unwrap_or_default();
        for group in groups {
            found.retain(|id| group.contains(id));
        }
        let ids = found.into_iter().filter(|id| Some(*id) != without);
        Ok(ids
            .take(limit)
            .map(|id| self.addresses[id].clone())
            .collect())
    }
}

/// Parts a line at its commas: the postcode, the town before it, and up to four lines.
fn split(id: usize, display: &str) -> Candidate<usize> {
    let mut parts: Vec<&str> = display.split(", ").collect();
    let postcode = parts.pop().unwrap_or_default().to_owned();
    let post_town = if parts.len() > 1 {
        parts.pop().unwrap_or_default().to_owned()
    } else {
        String::new()
    };
    let mut lines = [(); 4].map(|()| String::new());
    for (at, part) in parts.into_iter().enumerate() {
        let line = &mut lines[at.min(3)];
        if !line.is_empty() {
            line.push_str(", ");
        }
        line.push_str(part);
    }
    Candidate {
        id,
        lines,
        post_town,
        postcode,
        display_address: display.to_owned(),
    }
}
