//! Which lanes deliver on this node. There are places for some lanes only, and a lane that waits gets one
//! before a lane that had one after it.

use std::collections::{HashMap, HashSet, VecDeque};

use storage::subscriptions::SubscriptionId;

/// The lanes with a place, and the lanes that wait for one. `T` is a running lane.
#[derive(Debug)]
pub(crate) struct Places<T> {
    size: usize,
    running: HashMap<SubscriptionId, T>,
    waiting: VecDeque<SubscriptionId>,
    /// When a lane began its last turn, counted in turns of all lanes.
    turns: HashMap<SubscriptionId, u64>,
    turns_begun: u64,
}

impl<T> Places<T> {
    /// So many places, all of them free.
    pub(crate) fn new(size: usize) -> Self {
        Self {
            size,
            running: HashMap::new(),
            waiting: VecDeque::new(),
            turns: HashMap::new(),
            turns_begun: 0,
        }
    }

    /// Frees the places of lanes that have ended.
    pub(crate) fn free(&mut self, has_ended: impl Fn(&T) -> bool) {
        self.running.retain(|_lane, running| !has_ended(running));
    }

    /// Lets the due lanes wait for a place: first those that never had one, then those that had theirs
    /// the longest ago.
    pub(crate) fn queue(&mut self, due: Vec<SubscriptionId>) {
        let known: HashSet<SubscriptionId> = due.iter().copied().collect();
        self.turns
            .retain(|lane, _turn| known.contains(lane) || self.running.contains_key(lane));
        let mut waiting = due;
        waiting.retain(|lane| !self.running.contains_key(lane));
        waiting.sort_by_key(|lane| self.turns.get(lane).copied().unwrap_or_default());
        self.waiting = waiting.into();
    }

    /// Gives each free place to a lane that waits. `start` starts the lane.
    pub(crate) fn fill(&mut self, mut start: impl FnMut(SubscriptionId) -> T) {
        while self.running.len() < self.size
            && let Some(lane) = self.waiting.pop_front()
        {
            self.turns_begun += 1;
            self.turns.insert(lane, self.turns_begun);
            self.running.insert(lane, start(lane));
        }
    }

    /// Whether lanes wait for a place.
    pub(crate) fn are_taken(&self) -> bool {
        !self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_gets_a_place_before_any_lane_gets_its_next() {
        let mut places = Places::new(3);
        let all = || (1..=10).map(SubscriptionId).collect::<Vec<_>>();
        let mut served = Vec::new();
        for _turn in 0..10 {
            places.queue(all());
            places.fill(|lane| served.push(lane.0));
            places.free(|()| true);
        }
        assert_eq!(served.len(), 30);
        for round in served.chunks(10) {
            let lanes: HashSet<i64> = round.iter().copied().collect();
            assert_eq!(lanes.len(), 10, "{served:?}");
        }
    }

    #[test]
    fn a_lane_with_a_place_does_not_wait_for_another() {
        let mut places = Places::new(2);
        let due = || vec![SubscriptionId(1), SubscriptionId(2), SubscriptionId(3)];
        places.queue(due());
        places.fill(|lane| lane.0);
        assert!(places.are_taken());
        places.free(|lane| *lane == 2);
        places.queue(due());
        let mut started = Vec::new();
        places.fill(|lane| {
            started.push(lane.0);
            lane.0
        });
        assert_eq!(
            started,
            [3],
            "the lane without a turn comes before the lane that had one"
        );
        assert!(places.are_taken());
    }
}
