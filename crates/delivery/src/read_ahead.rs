//! What a lane has read ahead, so that it need not ask the store for each delivery.

use std::collections::{HashMap, HashSet, VecDeque};

use storage::attempts::Next;
use storage::deliveries::{self, DueDelivery, Head};
use storage::subscriptions::SubscriptionId;
use storage::{Read, StorageError};

use crate::limits;

/// A property's next delivery, as it was read.
#[derive(Debug)]
pub(crate) struct Found {
    /// The delivery.
    pub(crate) head: DueDelivery,
    /// What follows for the same property once that succeeded.
    pub(crate) following: VecDeque<DueDelivery>,
    /// Whether more than that waited behind it.
    pub(crate) is_cut: bool,
}

/// What one read found, each of another property.
#[derive(Debug)]
pub(crate) struct Findings {
    /// The oldest delivery of each property that is not busy.
    pub(crate) found: Vec<Found>,
    /// Whether more properties may have something due.
    pub(crate) is_cut: bool,
}

/// Deliveries to send, and properties of which something is queued or under way.
#[derive(Debug)]
pub(crate) struct ReadAhead {
    /// Each of another property.
    queue: VecDeque<DueDelivery>,
    behind: HashMap<i64, Behind>,
    reads: u64,
    is_stale: bool,
}

#[derive(Debug)]
struct Behind {
    following: VecDeque<DueDelivery>,
    is_cut: bool,
    /// By which read it came.
    read: u64,
}

impl Default for ReadAhead {
    fn default() -> Self {
        Self {
            queue: VecDeque::new(),
            behind: HashMap::new(),
            reads: 0,
            is_stale: true,
        }
    }
}

impl ReadAhead {
    /// Whether the store should be read: nothing is queued, and it may hold
    /// something to send that was not read.
    pub(crate) fn is_wanting(&self) -> bool {
        self.queue.is_empty() && self.is_stale
    }

    /// Takes note that there may be something new, or something due by now.
    pub(crate) fn outdate(&mut self) {
        self.is_stale = true;
    }

    /// The properties of which something is queued or under way.
    pub(crate) fn busy(&self) -> HashSet<i64> {
        self.behind.keys().copied().collect()
    }

    /// Queues what was read, none of it of a busy property.
    pub(crate) fn take(&mut self, findings: Findings) {
        self.reads += 1;
        self.is_stale = findings.is_cut;
        for found in findings.found {
            // Two of one property must never be under way at once.
            if self.behind.contains_key(&found.head.order) {
                continue;
            }
            let behind = Behind {
                following: found.following,
                is_cut: found.is_cut,
                read: self.reads,
            };
            self.behind.insert(found.head.order, behind);
            self.queue.push_back(found.head);
        }
    }

    /// Forgets all that is not under way yet: it is to be read again.
    pub(crate) fn forget(&mut self) {
        for delivery in self.queue.drain(..) {
            self.behind.remove(&delivery.order);
        }
        for behind in self.behind.values_mut() {
            behind.following.clear();
            behind.is_cut = true;
        }
        self.is_stale = true;
    }

    /// What is to be sent next.
    pub(crate) fn pop(&mut self) -> Option<DueDelivery> {
        self.queue.pop_front()
    }

    /// After a success the property's next delivery follows; after a failure
    /// all of its deliveries wait for that one (S-36).
    pub(crate) fn go_on(&mut self, property: i64, next: Next) {
        let behind = self.behind.get_mut(&property);
        let following = behind.and_then(|behind| behind.following.pop_front());
        match (next, following) {
            (Next::Delivered, Some(following)) => self.queue.push_back(following),
            (Next::Delivered | Next::Retry(_) | Next::Failed, _) => {
                let behind = self.behind.remove(&property);
                // Later reads passed over the property, because it was busy.
                let is_whole =
                    behind.is_some_and(|behind| !behind.is_cut && behind.read == self.reads);
                self.is_stale |= !is_whole || next == Next::Failed;
            }
        }
    }
}

/// Reads the next deliveries of a lane.
pub(super) fn read_ahead(
    read: &mut Read<'_>,
    subscription: SubscriptionId,
    now: i64,
    busy: &HashSet<i64>,
) -> Result<Findings, StorageError> {
    // What is under way waits in the store as well, and comes along.
    let heads_max = limits::LANE_HEADS_READ + busy.len();
    let (mut heads, is_cut) = deliveries::list_heads(read, subscription, now, heads_max)?;
    heads.retain(|head| !busy.contains(&head.delivery.order));
    let is_few = heads.len() < limits::LANE_HEADS_FEW;
    let mut found = Vec::with_capacity(heads.len());
    for Head {
        delivery,
        is_followed,
        ..
    } in heads
    {
        let place = (delivery.order, delivery.id);
        let limit = limits::LANE_FOLLOWING_READ;
        let following = if is_few && is_followed {
            deliveries::list_following(read, subscription, place, limit)?
        } else {
            Vec::new()
        };
        found.push(Found {
            is_cut: is_followed && (!is_few || following.len() >= limit),
            head: delivery,
            following: following.into(),
        });
    }
    Ok(Findings { found, is_cut })
}

#[cfg(test)]
mod tests;
