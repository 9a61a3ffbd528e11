//! Addresses in memory, with the index that a store keeps.

use std::cell::Cell;
use std::collections::HashMap;
use std::convert::Infallible;

use address::{Candidate, Probe, index_tokens};

/// Addresses and their index.
pub(crate) struct Memory {
    addresses: Vec<Candidate<usize>>,
    index: HashMap<i32, Vec<usize>>,
    tokens: usize,
    tokens_most: usize,
    /// Probes that were asked for.
    pub(crate) asked: Cell<usize>,
    /// Of these, answered with as many as were asked for.
    pub(crate) cut_off: Cell<usize>,
}

impl Memory {
    pub(crate) fn new(addresses: Vec<Candidate<usize>>) -> Self {
        let mut memory = Self {
            index: HashMap::new(),
            tokens: 0,
            tokens_most: 0,
            asked: Cell::default(),
            cut_off: Cell::default(),
            addresses,
        };
        for (id, candidate) in memory.addresses.iter().enumerate() {
            let tokens = index_tokens(&candidate.known());
            memory.tokens += tokens.len();
            memory.tokens_most = memory.tokens_most.max(tokens.len());
            for token in tokens {
                memory.index.entry(token).or_default().push(id);
            }
        }
        memory
    }

    pub(crate) fn len(&self) -> usize {
        self.addresses.len()
    }

    /// In tenths.
    pub(crate) fn tokens_mean(&self) -> usize {
        self.tokens * 10 / self.addresses.len()
    }

    pub(crate) fn tokens_most(&self) -> usize {
        self.tokens_most
    }

    pub(crate) fn display(&self, id: usize) -> &str {
        &self.addresses[id].display_address
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "a search takes stores that can fail"
    )]
    pub(crate) fn find(
        &self,
        probe: &Probe,
        limit: usize,
        without: &[usize],
    ) -> Result<Vec<Candidate<usize>>, Infallible> {
        let lists = |group: &Vec<i32>| {
            let lists = group.iter().filter_map(|token| self.index.get(token));
            lists.map(Vec::as_slice).collect::<Vec<&[usize]>>()
        };
        let mut groups: Vec<Vec<&[usize]>> = probe.all_of.iter().map(lists).collect();
        groups.sort_by_key(|lists| lists.iter().map(|list| list.len()).sum::<usize>());
        let mut groups = groups.into_iter();
        let mut found = groups.next().unwrap_or_default().concat();
        found.sort_unstable();
        found.dedup();
        for lists in groups {
            found.retain(|id| lists.iter().any(|list| list.binary_search(id).is_ok()));
        }
        self.asked.set(self.asked.get() + 1);
        self.cut_off
            .set(self.cut_off.get() + usize::from(found.len() >= limit));
        let ids = found.into_iter().filter(|id| !without.contains(id));
        Ok(ids
            .take(limit)
            .map(|id| self.addresses[id].clone())
            .collect())
    }
}
