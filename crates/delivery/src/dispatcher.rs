//! Finds lanes with something due, and starts delivering on them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use observe::clock::Stopwatch;
use observe::outage::Outage;
use storage::{NotificationListener, StorageError, events, lanes};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use uuid::Uuid;

use crate::event_jwt::EventJwts;
use crate::limits;
use crate::node::Node;
use crate::places::Places;
use crate::{DeliveryContext, lane};

/// How often this node reads the registry, and the newest event where the engine sends no
/// notifications.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// How often this node looks for due lanes without a notification.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);
/// The shortest time between two notifications to other nodes.
const NOTIFY_INTERVAL: Duration = Duration::from_millis(10);

/// Delivers until `stop` turns true, then waits for the running attempts.
pub async fn run(context: DeliveryContext, mut stop: watch::Receiver<bool>) {
    let node = Arc::new(Node {
        name: Uuid::new_v4().to_string(),
        jwts: EventJwts::default(),
        lease_outage: Outage::new("a lane cannot be leased"),
        is_crowded: AtomicBool::new(false),
        context,
    });
    let mut dispatcher = Dispatcher {
        changes: node.context.wake.watch(),
        places: Places::new(limits::LANES_MAX),
        tasks: JoinSet::from_iter([notify_nodes(Arc::clone(&node), stop.clone())]),
        newest_event: 0,
        notifications: receive_notifications(&node),
        outages: Outages::default(),
        stop: stop.clone(),
        node,
    };
    let mut since_sweep = Stopwatch::start();
    let mut since_look = Stopwatch::start();
    loop {
        let mut is_woken = tokio::select! {
            _stopped = stop.wait_for(|stop| *stop) => break,
            Some(_ended) = dispatcher.tasks.join_next(), if dispatcher.places.are_taken() => {
                dispatcher.fill_places();
                continue;
            }
            _changed = dispatcher.changes.changed() => !dispatcher.places.are_taken(),
            () = tokio::time::sleep(LOOK_INTERVAL) => false,
        };
        // A busy node reads the registry too: a key that another node revoked must not sign here.
        if since_look.elapsed() >= LOOK_INTERVAL {
            since_look = Stopwatch::start();
            is_woken |= dispatcher.look().await;
        }
        if is_woken || since_sweep.elapsed() >= SWEEP_INTERVAL {
            since_sweep = Stopwatch::start();
            dispatcher.changes.mark_unchanged();
            let started = dispatcher.start_lanes().await;
            dispatcher.outages.lanes.note(started);
        }
    }
    while dispatcher.tasks.join_next().await.is_some() {}
}

struct Dispatcher {
    node: Arc<Node>,
    changes: watch::Receiver<u64>,
    places: Places<AbortHandle>,
    tasks: JoinSet<()>,
    newest_event: i64,
    /// `None` where the engine sends no notifications: then the newest event is read instead.
    notifications: Option<NotificationListener>,
    outages: Outages,
    stop: watch::Receiver<bool>,
}

/// The reads that are made often.
#[derive(Debug)]
struct Outages {
    registry: Outage,
    events: Outage,
    lanes: Outage,
}

impl Default for Outages {
    fn default() -> Self {
        Self {
            registry: Outage::new("the registry cannot be read"),
            events: Outage::new("the newest event cannot be read"),
            lanes: Outage::new("lanes with something due cannot be read"),
        }
    }
}

fn receive_notifications(node: &Node) -> Option<NotificationListener> {
    let wake = Arc::clone(&node.context.wake);
    let notifications = node
        .context
        .storage
        .listen_to_nodes(&node.name, move || wake.wake_here());
    notifications.unwrap_or_else(|error| {
        tracing::warn!(%error, "notifications of other nodes cannot be received");
        None
    })
}

/// Notifies other nodes after commits of this node, outside of the recording transactions.
async fn notify_nodes(node: Arc<Node>, mut stop: watch::Receiver<bool>) {
    let mut own = node.context.wake.watch_own();
    loop {
        tokio::select! {
            changed = own.changed() => if changed.is_err() { return },
            _stopped = stop.wait_for(|stop| *stop) => return,
        }
        if let Err(error) = node.context.storage.notify_nodes(&node.name).await {
            tracing::warn!(%error, "other nodes were not notified of an event");
        }
        tokio::time::sleep(NOTIFY_INTERVAL).await;
    }
}

impl Dispatcher {
    /// Refreshes the registry. Without notifications, returns whether another node recorded an
    /// event since the last look.
    async fn look(&mut self) -> bool {
        let refreshed = self.node.context.registry.snapshot().await;
        self.outages.registry.note(refreshed);
        if self.notifications.is_some() {
            return false;
        }
        let storage = &self.node.context.storage;
        let newest = storage.lookup(events::find_newest_event).await;
        let newest = self.outages.events.note(newest);
        let Some(newest) = newest.filter(|newest| *newest != self.newest_event) else {
            return false;
        };
        self.newest_event = newest;
        // This also wakes the lanes that run already.
        self.node.context.wake.wake_here();
        true
    }

    async fn start_lanes(&mut self) -> Result<(), StorageError> {
        while let Some(_ended) = self.tasks.try_join_next() {}
        self.places.free(AbortHandle::is_finished);
        let node = Arc::clone(&self.node);
        let now = node.context.clock.now_milliseconds();
        let name = node.name.clone();
        let due = node
            .context
            .storage
            .read_by_index(move |read| lanes::list_due_lanes(read, &name, now))
            .await?;
        self.places.queue(due);
        self.fill_places();
        Ok(())
    }

    /// Starts delivering on the lanes that wait, as far as there are places.
    fn fill_places(&mut self) {
        self.places.free(AbortHandle::is_finished);
        self.places.fill(|subscription| {
            let task = lane::run(Arc::clone(&self.node), subscription, self.stop.clone());
            self.tasks.spawn(task)
        });
        let is_crowded = self.places.are_taken();
        self.node.is_crowded.store(is_crowded, Ordering::Relaxed);
    }
}
