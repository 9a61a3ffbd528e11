//! The ids of recent events, so that a repetition is recognised.

use std::collections::{HashSet, VecDeque};

/// The last so many event ids. A delivery is repeated when the service did not learn that it had
/// arrived; its `eventId` stays the same.
///
/// It lives in memory: what has to hold across a restart belongs in the subscriber's database,
/// with the event id as a unique key in the transaction that acts on the event.
#[derive(Clone, Debug)]
pub struct RecentEvents {
    capacity: usize,
    ids: HashSet<String>,
    order: VecDeque<String>,
}

impl RecentEvents {
    /// Remembers `capacity` ids, one at least.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity: capacity.max(1),
            ids: HashSet::new(),
            order: VecDeque::new(),
        }
    }

    /// Whether this id is remembered.
    pub fn contains(&self, event_id: &str) -> bool {
        self.ids.contains(event_id)
    }

    /// Remembers an id, and forgets the oldest one if there are too many. False when it was
    /// remembered already.
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
    fn the_last_ones_are_remembered_and_no_more() {
        let mut recent = RecentEvents::new(2);
        let first: Vec<bool> = ["a", "b", "a", "c"].map(|id| recent.remember(id)).to_vec();
        assert_eq!(first, [true, true, false, true]);
        let known = ["a", "b", "c"].map(|id| recent.contains(id));
        assert_eq!(known, [false, true, true]);
        assert_eq!((recent.ids.len(), recent.order.len()), (2, 2));
        assert!(RecentEvents::new(0).remember("a"));
    }
}
