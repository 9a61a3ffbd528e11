//! Delivering on one lane: in order for each property, in parallel across properties.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use observe::clock::Stopwatch;
use outbound::callback::CallbackUrl;
use storage::attempts::HealthChange;
use storage::lanes::{self, Health, Lane};
use storage::subscriptions::{Receives, SubscriptionId};
use storage::{StorageError, waiting};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::attempt::{FinishedAttempt, send};
use crate::cancelling::cancel;
use crate::lane_store::{Storing, end_of, parse_callback, record, release, renew, take};
use crate::node::Node;
use crate::policy::{Disabling, Window};
use crate::read_ahead::{Findings, ReadAhead, read_ahead};

/// How often a running lane renews its lease.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(10);
/// How long an idle lane is kept, so that the next event finds it leased.
const IDLE_MAX: Duration = Duration::from_secs(5);
/// How long a lane keeps its place while others wait for one.
const TURN_MAX: Duration = Duration::from_secs(2);
/// How often a waiting lane checks the time.
const TICK: Duration = Duration::from_millis(200);

/// A read that takes longer than this is expensive. After it the lane reads nothing new for
/// `READ_PAUSE_FACTOR` times as long, so that it takes a small share of the reading threads.
const READ_CHEAP: Duration = Duration::from_millis(20);
const READ_PAUSE_FACTOR: u32 = 20;
const REST_MAX: Duration = Duration::from_secs(2);
/// How long a delivery may stay read ahead. A subscriber may have cancelled it since.
const READ_AGE_MAX: Duration = Duration::from_secs(1);

/// Leases the lane of a subscription. Delivers until nothing is due for a while, the lease is lost
/// or the node stops.
pub(crate) async fn run(
    node: Arc<Node>,
    subscription: SubscriptionId,
    stop: watch::Receiver<bool>,
) {
    let taken = take(&node, subscription).await;
    let Some(lane) = node.lease_outage.note(taken).flatten() else {
        return;
    };
    let Some(callback) = parse_callback(&lane.receives) else {
        release(&node, lane).await;
        return;
    };
    let window = Window::new(&lane.health, node.context.concurrency);
    let mut runner = Runner {
        health: lane.health,
        stored_health: lane.health,
        generation: 0,
        changes: node.context.wake.watch(),
        node,
        lane,
        callback,
        window,
        ahead: ReadAhead::default(),
        sending: JoinSet::new(),
        sent: Vec::new(),
        disabling: None,
        storing: None,
        is_notified: false,
        rest: Duration::ZERO,
        since_read: Stopwatch::start(),
        stop,
    };
    if let Err(error) = runner.deliver().await {
        tracing::warn!(%error, "a lane stopped");
    }
    runner.sending.shutdown().await;
    release(&runner.node, runner.lane).await;
}

struct Runner {
    node: Arc<Node>,
    lane: Lane,
    callback: Arc<CallbackUrl>,
    health: Health,
    /// The health that the lane read in the store last. A call can end a pause there.
    stored_health: Health,
    /// How often somebody has changed the health. Attempts from before such a change change it no more.
    generation: u64,
    window: Window,
    ahead: ReadAhead,
    /// Each attempt with the generation of the health under which it began.
    sending: JoinSet<(u64, FinishedAttempt)>,
    /// Finished attempts that are not being stored yet, in their order.
    sent: Vec<FinishedAttempt>,
    /// Why nothing more is sent; set by the answer that disables the subscription.
    disabling: Option<Disabling>,
    storing: Option<Storing>,
    /// Whether the lane was notified of a change since it last looked.
    is_notified: bool,
    /// How long the lane waits before its next read.
    rest: Duration,
    since_read: Stopwatch,
    changes: watch::Receiver<u64>,
    stop: watch::Receiver<bool>,
}

impl Runner {
    /// Returns when the lane should be released. All results are stored before, unless the lease
    /// was lost.
    async fn deliver(&mut self) -> Result<(), StorageError> {
        let turn = Stopwatch::start();
        let mut idle = Stopwatch::start();
        let mut renewed = Stopwatch::start();
        let mut looked = Stopwatch::start();
        loop {
            let is_ending = *self.stop.borrow() || self.is_over(turn);
            if is_ending && self.count_under_way() == 0 {
                return Ok(());
            }
            if renewed.elapsed() >= RENEWAL_INTERVAL {
                renewed = Stopwatch::start();
                if !self.renew().await? {
                    return Ok(());
                }
            }
            self.note_ended();
            if !is_ending {
                self.look_at_health(&mut looked).await?;
            }
            if !is_ending && self.may_send() {
                if self.changes.has_changed().unwrap_or_default() {
                    self.changes.mark_unchanged();
                    self.is_notified = true;
                }
                let is_rested = self.since_read.elapsed() >= self.rest;
                if is_rested && (self.is_notified || looked.elapsed() >= TICK) {
                    self.is_notified = false;
                    looked = Stopwatch::start();
                    self.ahead.outdate();
                }
                self.ahead.forget_older_than(READ_AGE_MAX);
                self.fill().await?;
                // An answer that came meanwhile may pause or disable the subscription.
                self.note_ended();
                if self.may_send() {
                    self.send_queued();
                }
            }
            self.begin_to_store();
            if self.count_under_way() == 0 {
                let is_crowded = self.node.is_crowded.load(Ordering::Relaxed);
                if self.is_paused() || is_crowded || idle.elapsed() >= IDLE_MAX {
                    return Ok(());
                }
                self.wait().await;
                continue;
            }
            tokio::select! {
                Some(ended) = self.sending.join_next() => self.note_sent(ended.ok()),
                stored = end_of(&mut self.storing) => {
                    idle = Stopwatch::start();
                    if !self.note_stored(stored?) {
                        return Ok(());
                    }
                }
                // A new event need not wait for a slow answer.
                _changed = self.changes.changed() => self.is_notified = true,
                () = tokio::time::sleep(TICK) => {}
            }
        }
    }

    /// Counts deliveries without a stored result: after a crash they are sent again. The
    /// window bounds them, because storing a result also reads which event types the subscription
    /// receives.
    fn count_under_way(&self) -> usize {
        let storing = self.storing.as_ref();
        self.sending.len() + self.sent.len() + storing.map_or(0, |storing| storing.batch.len())
    }

    /// Whether the lane has had its turn, and others wait for its place.
    fn is_over(&self, turn: Stopwatch) -> bool {
        self.node.is_crowded.load(Ordering::Relaxed) && turn.elapsed() >= TURN_MAX
    }

    fn may_send(&self) -> bool {
        self.disabling.is_none() && !self.is_paused()
    }

    fn is_paused(&self) -> bool {
        self.health.paused_until > self.node.context.clock.now_milliseconds()
    }

    async fn wait(&mut self) {
        tokio::select! {
            _changed = self.changes.changed() => self.is_notified = true,
            _stopped = self.stop.wait_for(|stop| *stop) => {}
            () = tokio::time::sleep(TICK) => {}
        }
    }

    /// Ends the pause if a call has ended it in the store.
    async fn look_at_health(&mut self, looked: &mut Stopwatch) -> Result<(), StorageError> {
        if !self.is_paused() || self.storing.is_some() || looked.elapsed() < TICK {
            return Ok(());
        }
        *looked = Stopwatch::start();
        let lane = self.lane.clone();
        let looking = &self.node.context.storage;
        let found = looking.read_by_index(move |read| lanes::find_lane(read, &lane));
        let found: Option<Lane> = found.await?;
        if let Some(found) = found {
            self.note_health(found.health);
        }
        Ok(())
    }

    /// Takes over a health that a call has changed in the store. The store may have an older health while results
    /// are being stored.
    fn note_health(&mut self, found: Health) {
        if self.storing.is_none() && found != self.stored_health {
            self.take_health(found);
        }
    }

    fn take_health(&mut self, health: Health) {
        self.generation += 1;
        self.disabling = None;
        self.health = health;
        self.stored_health = health;
        self.window = Window::new(&health, self.node.context.concurrency);
    }

    /// Reads ahead without locks, if the window has room and the store may hold more.
    async fn fill(&mut self) -> Result<(), StorageError> {
        if !self.ahead.is_wanting() || self.count_under_way() >= self.window.size() {
            return Ok(());
        }
        let subscription = self.lane.subscription;
        let now = self.node.context.clock.now_milliseconds();
        let (busy, turn) = (self.ahead.busy(), self.ahead.turn());
        let lane = self.lane.clone();
        let reading = self.node.context.storage.read_by_index(move |read| {
            // Measured here, to leave out the time in the queue for a thread.
            let reading = Stopwatch::start();
            let findings = read_ahead(read, subscription, now, &busy, turn)?;
            // A right may have been withdrawn, or a type given up, since the lane looked last.
            let found = if findings.found.is_empty() {
                None
            } else {
                lanes::find_lane(read, &lane)?
            };
            Ok::<_, StorageError>((findings, found, reading.elapsed()))
        });
        let (findings, found, took) = reading.await?;
        self.rest = if took < READ_CHEAP {
            Duration::ZERO
        } else {
            (took * READ_PAUSE_FACTOR).min(REST_MAX)
        };
        self.since_read = Stopwatch::start();
        let Some(Lane {
            health, receives, ..
        }) = found
        else {
            // Nothing is due, the subscription is disabled, or another node has the lease.
            self.ahead.take(Findings {
                found: Vec::new(),
                in_turn: HashSet::new(),
                ..findings
            });
            return Ok(());
        };
        self.note_health(health);
        let mut cancelled = 0;
        if receives.lacks_right || findings.needs_chain_client_beyond(&receives.types) {
            cancelled +=
                cancel(&self.node, subscription, now, waiting::cancel_without_right).await?;
        }
        if findings.has_other_types(&receives.types) {
            // The call that gave up the type, or its node, ended before it cancelled all.
            cancelled +=
                cancel(&self.node, subscription, now, waiting::cancel_unsubscribed).await?;
        }
        let is_readable = self.note_receives(receives);
        // After a cancellation the lane reads again.
        if cancelled == 0 && is_readable {
            self.ahead.take(findings);
        }
        Ok(())
    }

    fn send_queued(&mut self) {
        while self.count_under_way() < self.window.size() {
            let Some(delivery) = self.ahead.pop() else {
                return;
            };
            let (node, callback) = (Arc::clone(&self.node), Arc::clone(&self.callback));
            let generation = self.generation;
            self.sending
                .spawn(async move { (generation, send(node, callback, delivery).await) });
        }
    }

    fn note_ended(&mut self) {
        while let Some(ended) = self.sending.try_join_next() {
            self.note_sent(ended.ok());
        }
    }

    /// Applies the answer to health and window before anything else is sent, not only once it is
    /// stored.
    fn note_sent(&mut self, ended: Option<(u64, FinishedAttempt)>) {
        let Some((generation, sent)) = ended else {
            return;
        };
        if generation == self.generation {
            self.health = sent.outcome.health(&self.health);
            self.window.note(sent.outcome.is_success, &self.health);
            let disabling = self.disabling;
            self.disabling = disabling.or_else(|| sent.outcome.disabling(&self.health));
        }
        self.sent.push(sent);
    }

    /// Begins to store all finished attempts in one transaction, unless one runs already. Sending
    /// does not wait for the disk.
    fn begin_to_store(&mut self) {
        if self.storing.is_some() || self.sent.is_empty() {
            return;
        }
        let batch = std::mem::take(&mut self.sent);
        let results = batch.iter().map(|sent| sent.result.clone()).collect();
        let (node, lane) = (Arc::clone(&self.node), self.lane.clone());
        let health = HealthChange {
            before: self.stored_health,
            after: self.health,
        };
        let task = tokio::spawn(record(node, lane, health, results, self.disabling));
        self.storing = Some(Storing {
            batch,
            health: self.health,
            task,
        });
    }

    /// Queues the deliveries that follow the stored ones. Returns `false` if the lease is lost or
    /// the subscription disabled.
    fn note_stored(&mut self, stored: Option<Lane>) -> bool {
        let (Some(storing), Some(stored)) = (self.storing.take(), stored) else {
            return false;
        };
        self.stored_health = stored.health;
        if stored.health != storing.health {
            self.take_health(stored.health);
        }
        let receives = stored.receives;
        for sent in storing.batch {
            self.ahead.go_on(sent.delivery.order, sent.result.next);
        }
        if receives != self.lane.receives {
            // Deliveries that were read ahead may be cancelled by now.
            self.ahead.forget();
            return self.note_receives(receives);
        }
        true
    }

    /// Sends to another URL from now on, if the subscription has moved. `false` if its URL cannot be read.
    fn note_receives(&mut self, receives: Receives) -> bool {
        if receives.callback_url != self.lane.receives.callback_url {
            let Some(callback) = parse_callback(&receives) else {
                return false;
            };
            self.callback = callback;
        }
        self.lane.receives = receives;
        true
    }

    async fn renew(&self) -> Result<bool, StorageError> {
        renew(&self.node, self.lane.clone()).await
    }
}
