//! Addresses in memory, with the index that a store keeps.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;

use address::{Candidate, Probe, Query, Ranking, index_tokens, search};

/// Addresses and their index.
pub(crate) struct Memory {
    addresses: Vec<Candidate<usize>>,
    index: HashMap<i32, Vec<usize>>,
}

impl Memory {
    /// The ids of the addresses are their indices.
    pub(crate) fn new(addresses: Vec<Candidate<usize>>) -> Self {
        let mut index: HashMap<i32, Vec<usize>> = HashMap::new();
        for candidate in &addresses {
            for token in index_tokens(&candidate.known(), candidate.is_verified) {
                index.entry(token).or_default().push(candidate.id);
            }
        }
        Self { addresses, index }
    }

    pub(crate) fn display(&self, id: usize) -> &str {
        &self.addresses[id].display_address
    }

    /// Ranks the addresses for a query as if some were not there.
    pub(crate) fn rank(&self, query: &Query, absent: &[usize]) -> Ranking<usize> {
        let Ok(ranking) = search(query, |probe, limit| {
            let mut found = self.find(probe);
            found.retain(|id| !absent.contains(id));
            found.truncate(limit);
            let found = found.into_iter().map(|id| self.addresses[id].clone());
            Ok::<_, Infallible>(found.collect())
        });
        ranking
    }

    /// The ids of a probe's addresses, sorted.
    fn find(&self, probe: &Probe) -> Vec<usize> {
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
        found
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tokens: usize = self.index.values().map(Vec::len).sum();
        let addresses = self.addresses.len();
        write!(
            formatter,
            "{addresses} addresses, {} tokens each",
            tokens / addresses
        )
    }
}

/// Whether the environment asks to see texts with this kind of answer.
pub(crate) fn is_shown(kind: &str) -> bool {
    std::env::var("SHOW").is_ok_and(|shown| shown.split(',').any(|shown| shown == kind))
}
