//! Seals new versions of chains soon after their commits, on one node at a time (S-60).
//!
//! Rendering and compressing happens on a thread that reads, so writes wait only for the inserts.

use std::ops::ControlFlow;

use observe::clock::{Clock, Stopwatch};
use observe::outage::Outage;
use storage::lease::Lease;
use storage::{Storage, StorageError, sealing};
use tokio::sync::watch;

use crate::limits::{SEALED_AT_ONCE, SEALER_LEASE_MILLISECONDS, SEALING_INTERVAL};
use crate::sealing::seal;

/// The parts that sealing uses.
#[derive(Debug, Clone)]
pub struct Sealer {
    /// Time.
    pub clock: Clock,
    /// The store.
    pub storage: Storage,
    /// The name of this node among running nodes.
    pub node: String,
}

/// Seals until `stop` turns true, and then leaves it to another node.
pub async fn run(sealer: Sealer, mut stop: watch::Receiver<bool>) {
    let outage = Outage::new("new versions of chains cannot be sealed");
    let mut others_until = 0;
    loop {
        tokio::select! {
            () = tokio::time::sleep(SEALING_INTERVAL) => {}
            _stopped = stop.wait_for(|stop| *stop) => break,
        }
        if sealer.clock.now_milliseconds() < others_until {
            continue;
        }
        if let Some(false) = outage.note(sealer.seal_all(&stop).await) {
            others_until = sealer.clock.now_milliseconds() + SEALER_LEASE_MILLISECONDS;
        }
    }
    if let Err(error) = sealer.end_lease().await {
        tracing::debug!(%error, "another node seals only after some seconds");
    }
}

impl Sealer {
    /// Seals all versions that wait, in groups. `false` if another node does.
    async fn seal_all(&self, stop: &watch::Receiver<bool>) -> Result<bool, StorageError> {
        while !*stop.borrow() {
            let working = Stopwatch::start();
            if let ControlFlow::Break(is_own) = self.seal_group().await? {
                return Ok(is_own);
            }
            // Many wait, such as all chains of an upgraded store. Recordings come in between.
            tokio::time::sleep(working.elapsed()).await;
        }
        Ok(true)
    }

    /// Seals a group. Breaks with `true` if no other versions wait, and with `false` if another node seals.
    async fn seal_group(&self) -> Result<ControlFlow<bool>, StorageError> {
        // Imports change the tables faster than the planner's statistics.
        let reading = self
            .storage
            .read_by_index(|read| sealing::read_unsealed(read, seal, SEALED_AT_ONCE));
        let (group, damage) = reading.await?;
        let length = i64::try_from(group.len()).unwrap_or(i64::MAX);
        if length == 0 {
            return damage.map_or(Ok(ControlFlow::Break(true)), Err);
        }
        let (owner, now) = (self.node.clone(), self.clock.now_milliseconds());
        let storing = self.storage.write_under_row_locks(move |write| {
            let lease = Lease {
                owner: &owner,
                now,
                until: now + SEALER_LEASE_MILLISECONDS,
            };
            sealing::store_sealed(write, lease, &group)
        });
        let is_own: bool = storing.await?;
        if let Some(damage) = damage {
            return Err(damage);
        }
        Ok(if is_own && length == SEALED_AT_ONCE {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(is_own)
        })
    }

    async fn end_lease(&self) -> Result<(), StorageError> {
        let (owner, now) = (self.node.clone(), self.clock.now_milliseconds());
        let ending = self.storage.write_under_row_locks(move |write| {
            let lease = Lease {
                owner: &owner,
                now,
                until: now,
            };
            sealing::store_sealed(write, lease, &[])
        });
        let _was_own: bool = ending.await?;
        Ok(())
    }
}
