//! Finds lanes with something due, and starts delivering on them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use storage::subscriptions::SubscriptionId;
use storage::{StorageError, events, lanes};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use uuid::Uuid;

use super::event_jwt::EventJwts;
use super::lane;
use crate::app::App;
use crate::clock::Stopwatch;
use crate::limits;

/// How often this node looks whether another one recorded an event.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
/// How often it looks for lanes that are due by time alone.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

/// What all lanes of this node share.
#[derive(Debug)]
pub struct Node {
    /// The program's parts.
    pub app: Arc<App>,
    /// Under which this node leases lanes.
    pub name: String,
    /// Signed events.
    pub jwts: EventJwts,
}

/// Delivers until told to stop; then lets attempts that are under way end.
pub async fn run(app: Arc<App>, mut stop: watch::Receiver<bool>) {
    let node = Arc::new(Node {
        name: Uuid::new_v4().to_string(),
        jwts: EventJwts::default(),
        app,
    });
    let mut dispatcher = Dispatcher {
        changes: node.app.deliveries.watch(),
        running: HashMap::new(),
        tasks: JoinSet::new(),
        newest_event: 0,
        stop: stop.clone(),
        node,
    };
    let mut since_sweep = Stopwatch::start();
    let mut since_look = Stopwatch::start();
    loop {
        let mut is_woken = tokio::select! {
            _stopped = stop.wait_for(|stop| *stop) => break,
            _changed = dispatcher.changes.changed() => true,
            () = tokio::time::sleep(LOOK_INTERVAL) => false,
        };
        // Also while this node is busy: a key that was revoked elsewhere must not
        // go on signing here.
        if since_look.elapsed() >= LOOK_INTERVAL {
            since_look = Stopwatch::start();
            is_woken |= dispatcher.look().await;
        }
        if is_woken || since_sweep.elapsed() >= SWEEP_INTERVAL {
            since_sweep = Stopwatch::start();
            dispatcher.changes.mark_unchanged();
            if let Err(error) = dispatcher.start_lanes().await {
                tracing::warn!(%error, "lanes with something due could not be read");
            }
        }
    }
    while dispatcher.tasks.join_next().await.is_some() {}
}

struct Dispatcher {
    node: Arc<Node>,
    changes: watch::Receiver<u64>,
    running: HashMap<SubscriptionId, AbortHandle>,
    tasks: JoinSet<()>,
    newest_event: i64,
    stop: watch::Receiver<bool>,
}

impl Dispatcher {
    /// Whether another node recorded something since the last look. Keeps this
    /// node's view of the keys fresh as well.
    async fn look(&mut self) -> bool {
        let storage = &self.node.app.storage;
        let newest = storage.lookup(events::find_newest_event).await;
        let refreshed = self.node.app.registry.snapshot().await;
        if let Err(error) = refreshed {
            tracing::warn!(%error, "the registry could not be read");
        }
        match newest {
            Ok(newest) if newest != self.newest_event => {
                self.newest_event = newest;
                // The lanes that run already hear it in this way.
                self.node.app.deliveries.wake();
                true
            }
            Ok(_) => false,
            Err(error) => {
                tracing::warn!(%error, "the newest event could not be read");
                false
            }
        }
    }

    async fn start_lanes(&mut self) -> Result<(), StorageError> {
        while let Some(_ended) = self.tasks.try_join_next() {}
        self.running.retain(|_lane, task| !task.is_finished());
        let node = Arc::clone(&self.node);
        let now = node.app.clock.now_milliseconds();
        let name = node.name.clone();
        let due = node
            .app
            .storage
            .read(move |read| lanes::list_due_lanes(read, &name, now))
            .await?;
        for subscription in due {
            if self.running.contains_key(&subscription) || self.running.len() >= limits::LANES_MAX {
                continue;
            }
            let task = lane::run(Arc::clone(&node), subscription, self.stop.clone());
            let handle = self.tasks.spawn(task);
            self.running.insert(subscription, handle);
        }
        Ok(())
    }
}
