//! The ids of recent events, with which a receiver recognises duplicates.

use std::collections::{HashSet, VecDeque};

/// A fixed number of recent event ids. The service repeats a delivery, with the same `eventId`, if
/// it did not get the answer to the first.
///
/// The ids are in memory only. To recognise duplicates after a restart, a subscriber stores the id
/// in its database, as a unique key, in the transaction that acts on the event.
#[derive(Clone, Debug)]
pub struct RecentEvents {
    capacity: usize,
    ids: HashSet<String>,
    order: VecDeque<String>,
}

impl RecentEvents {
    /// Remembers `capacity` ids, but at least one.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity: capacity.max(1),
            ids: HashSet::new(),
            order: VecDeque::new(),
        }
    }

    /// True if this id is remembered.
    pub fn contains(&self, event_id: &str) -> bool {
        self.ids.contains(event_id)
    }

    /// Remembers an id, and forgets the oldest id if there are too many. Returns false if the id
    /// was remembered already.
    pub fn remember(&mut self, event_id: &str) -> bool {
        if !self.ids.insert(event_id.to_owned()) {
            return false;
        }
        self.order.push_back(event_id.to_owned());
        if self.order.len() > self.capacity
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::RecentEvents;

    #[test]
    fn only_the_newest_ids_are_remembered() {
        let mut recent = RecentEvents::new(2);
        let first: Vec<bool> = ["a", "b", "a", "c"].map(|id| recent.remember(id)).to_vec();
        assert_eq!(first, [true, true, false, true]);
        let known = ["a", "b", "c"].map(|id| recent.contains(id));
        assert_eq!(known, [false, true, true]);
        assert_eq!((recent.ids.len(), recent.order.len()), (2, 2));
        assert!(RecentEvents::new(0).remember("a"));
    }
}
