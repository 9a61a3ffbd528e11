//! The deliveries that a lane has read ahead, so that it need not read the store for each one.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use chain::event::EventType;
use observe::clock::Stopwatch;
use storage::attempts::Next;
use storage::deliveries::{self, DueDelivery, Head};
use storage::subscriptions::SubscriptionId;
use storage::{Read, StorageError};

use crate::limits;

/// A property's next delivery, and some of those behind it.
#[derive(Debug)]
pub(crate) struct Found {
    /// The delivery.
    pub(crate) head: DueDelivery,
    /// The deliveries of the same property that follow once `head` succeeded.
    pub(crate) following: VecDeque<DueDelivery>,
    /// Whether the store holds more deliveries of this property.
    pub(crate) is_cut: bool,
}

impl Found {
    /// Leaves in the store what follows the delivery.
    fn alone(head: Head) -> Self {
        Self {
            is_cut: head.is_followed,
            head: head.delivery,
            following: VecDeque::new(),
        }
    }
}

/// The result of one read. Each entry is of another property.
#[derive(Debug)]
pub(crate) struct Findings {
    /// The oldest delivery of each property that is not busy.
    pub(crate) found: Vec<Found>,
    /// Whether more properties may have something due.
    pub(crate) is_cut: bool,
    /// The properties that were found because it was their turn.
    pub(crate) in_turn: HashSet<i64>,
    /// Where the turn goes on after them, see [`deliveries::list_turn`].
    pub(crate) turn_below: Option<i64>,
}

impl Findings {
    /// Whether a delivery is of an event type that is none of these, and nobody asked for it again.
    pub(crate) fn has_other_types(&self, types: &[EventType]) -> bool {
        self.all().any(|delivery| {
            !delivery.is_redelivery() && !types.contains(&delivery.event.event_type)
        })
    }

    /// Whether a delivery needs the right to see chains, and is of an event type that is none of these: somebody
    /// asked for it again.
    pub(crate) fn needs_chain_client_beyond(&self, types: &[EventType]) -> bool {
        self.all().any(|delivery| {
            let event_type = delivery.event.event_type;
            event_type.needs_chain_client() && !types.contains(&event_type)
        })
    }

    fn all(&self) -> impl Iterator<Item = &DueDelivery> {
        let found = self.found.iter();
        found.flat_map(|found| std::iter::once(&found.head).chain(&found.following))
    }
}

/// Deliveries to send, and the busy properties: a busy property has a delivery queued or under way.
#[derive(Debug)]
pub(crate) struct ReadAhead {
    /// At most one delivery of each property.
    queue: VecDeque<DueDelivery>,
    served: Served,
    behind: HashMap<i64, Behind>,
    reads: u64,
    is_stale: bool,
    /// Since the oldest of these deliveries was read, or earlier.
    since_read: Stopwatch,
}

/// Where the next turn begins, see [`deliveries::list_turn`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TurnBelow(Option<i64>);

/// Whom a lane served last. A property with many pending deliveries must not keep the others waiting, and
/// neither must many such properties.
#[derive(Debug, Default)]
struct Served {
    /// The number of the last delivery of each property.
    last: HashMap<i64, u64>,
    count: u64,
    /// Whether more properties have something due than the last read found.
    is_crowded: bool,
    /// Properties in turn that still wait for it.
    in_turn: HashSet<i64>,
    turn_below: Option<i64>,
    below: Option<i64>,
}

impl Served {
    /// Sorts deliveries: first those without an attempt, then by when the property was served last.
    fn sort(&mut self, findings: &mut Findings) {
        self.is_crowded = findings.is_cut;
        self.in_turn = std::mem::take(&mut findings.in_turn);
        self.turn_below = findings.turn_below;
        self.note_end();
        findings.found.sort_by_key(|found| {
            let last = self.last.get(&found.head.order).copied();
            (found.head.attempts > 0, last.unwrap_or_default())
        });
    }

    fn note(&mut self, property: i64) {
        if self.last.len() >= limits::LANE_PROPERTIES_NOTED {
            self.last.clear();
        }
        self.count += 1;
        self.last.insert(property, self.count);
        if self.in_turn.remove(&property) {
            self.below = Some(self.below.map_or(property, |below| below.min(property)));
            self.note_end();
        }
    }

    fn note_end(&mut self) {
        if self.in_turn.is_empty() {
            self.below = self.turn_below;
        }
    }
}

#[derive(Debug)]
struct Behind {
    following: VecDeque<DueDelivery>,
    is_cut: bool,
    /// The number of the read that found it.
    read: u64,
}

impl Default for ReadAhead {
    fn default() -> Self {
        Self {
            queue: VecDeque::new(),
            served: Served::default(),
            behind: HashMap::new(),
            reads: 0,
            is_stale: true,
            since_read: Stopwatch::start(),
        }
    }
}

impl ReadAhead {
    /// Whether the store should be read: nothing is queued, and the store may hold more.
    pub(crate) fn is_wanting(&self) -> bool {
        self.queue.is_empty() && self.is_stale
    }

    /// Notes that the store may hold something new or newly due.
    pub(crate) fn outdate(&mut self) {
        self.is_stale = true;
    }

    /// The busy properties.
    pub(crate) fn busy(&self) -> HashSet<i64> {
        self.behind.keys().copied().collect()
    }

    /// Queues the result of a read; deliveries of busy properties are left out.
    pub(crate) fn take(&mut self, mut findings: Findings) {
        self.reads += 1;
        self.served.sort(&mut findings);
        self.is_stale = findings.is_cut;
        for found in findings.found {
            // Two deliveries of one property must never be under way at once.
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

    /// Forgets all deliveries that are not under way, if one of them may have been read so long ago: a
    /// subscriber may have cancelled it since.
    pub(crate) fn forget_older_than(&mut self, age: Duration) {
        if self.since_read.elapsed() >= age {
            self.forget();
        }
    }

    /// Forgets all deliveries that are not under way, so that they are read again.
    pub(crate) fn forget(&mut self) {
        self.since_read = Stopwatch::start();
        for delivery in self.queue.drain(..) {
            self.behind.remove(&delivery.order);
        }
        for behind in self.behind.values_mut() {
            behind.following.clear();
            behind.is_cut = true;
        }
        self.is_stale = true;
    }

    /// Takes the delivery to send next.
    pub(crate) fn pop(&mut self) -> Option<DueDelivery> {
        let delivery = self.queue.pop_front()?;
        self.served.note(delivery.order);
        Some(delivery)
    }

    /// Where the next turn begins; `None` while a read finds all properties that have something due.
    pub(crate) fn turn(&self) -> Option<TurnBelow> {
        self.served
            .is_crowded
            .then_some(TurnBelow(self.served.below))
    }

    /// Queues the property's next delivery after a success. After a failure its deliveries wait for
    /// the failed one (S-36).
    pub(crate) fn go_on(&mut self, property: i64, next: Next) {
        let behind = self.behind.get_mut(&property);
        let following = behind.and_then(|behind| behind.following.pop_front());
        match (next, following) {
            (Next::Delivered, Some(following)) => self.queue.push_back(following),
            (Next::Delivered | Next::Retry(_) | Next::Failed, _) => {
                let behind = self.behind.remove(&property);
                // Later reads left out the property, because it was busy.
                let is_complete =
                    behind.is_some_and(|behind| !behind.is_cut && behind.read == self.reads);
                self.is_stale |= !is_complete || next == Next::Failed;
            }
        }
    }
}

/// Reads the next deliveries of a lane: the longest due ones, or where more properties have something due
/// than a read finds, those of the next properties in turn.
pub(super) fn read_ahead(
    read: &mut Read<'_>,
    subscription: SubscriptionId,
    now: i64,
    busy: &HashSet<i64>,
    turn: Option<TurnBelow>,
) -> Result<Findings, StorageError> {
    let mut turn_below = None;
    if let Some(TurnBelow(below)) = turn {
        let turn = deliveries::list_turn(read, subscription, now, below, limits::LANE_HEADS_READ)?;
        turn_below = turn.below;
        let mut heads = turn.heads;
        heads.retain(|head| !busy.contains(&head.delivery.order));
        if heads.len() >= limits::LANE_HEADS_FEW {
            return Ok(Findings {
                in_turn: heads.iter().map(|head| head.delivery.order).collect(),
                found: heads.into_iter().map(Found::alone).collect(),
                is_cut: true,
                turn_below,
            });
        }
    }
    // The store also lists the deliveries of busy properties.
    let heads_max = limits::LANE_HEADS_READ + busy.len();
    let (mut heads, is_cut) = deliveries::list_heads(read, subscription, now, heads_max)?;
    heads.retain(|head| !busy.contains(&head.delivery.order));
    let is_few = heads.len() < limits::LANE_HEADS_FEW;
    let mut found = Vec::with_capacity(heads.len());
    for head in heads {
        found.push(if is_few && head.is_followed {
            read_following(read, subscription, head, now)?
        } else {
            Found::alone(head)
        });
    }
    Ok(Findings {
        found,
        is_cut,
        in_turn: HashSet::new(),
        turn_below,
    })
}

fn read_following(
    read: &mut Read<'_>,
    subscription: SubscriptionId,
    head: Head,
    now: i64,
) -> Result<Found, StorageError> {
    let (head, limit) = (head.delivery, limits::LANE_FOLLOWING_READ);
    let following = deliveries::list_following(read, subscription, &head, now, limit)?;
    Ok(Found {
        is_cut: following.is_cut,
        head,
        following: following.due.into(),
    })
}

#[cfg(test)]
mod tests;
