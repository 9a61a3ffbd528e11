//! Key rotations without notice, and old events that come again.

use std::sync::Arc;
use std::time::Duration;

use server::foundation::Foundation;
use server::lifecycle::Server;
use signing::keyring::Purpose;
use storage::delivery_choice::{DeliveryFilter, DeliveryState};
use storage::{StorageError, Write, delivery_log, subscription_overview};
use tokens::keys::{self, Rotation};
use tokio::task::JoinHandle;

use super::Pedantry;
use crate::failure::Failure;

/// The pauses between two rotations, and between two redeliveries.
const ROTATION_SECONDS: (i32, i32) = (60, 150);
const REDELIVERY_SECONDS: (i32, i32) = (5, 10);
/// The newest deliveries of a subscription, one of which is sent again.
const DELIVERIES: i64 = 20;
/// No key is added to so many, so that the key set of a long run stays as short as clients accept.
const KEYS_MAX: usize = 200;

/// Begins both. The caller ends them.
pub(crate) fn start(pedantry: &Arc<Pedantry>, server: &Server) -> JoinHandle<()> {
    let pedantry = Arc::clone(pedantry);
    let (foundation, wake) = (Arc::clone(&server.foundation), Arc::clone(&server.wake));
    let mut until_rotation = pedantry.draw_seconds(ROTATION_SECONDS);
    tokio::spawn(async move {
        loop {
            let pause = pedantry.draw_seconds(REDELIVERY_SECONDS);
            tokio::time::sleep(Duration::from_secs(pause)).await;
            until_rotation = until_rotation.saturating_sub(pause);
            if until_rotation == 0 {
                until_rotation = pedantry.draw_seconds(ROTATION_SECONDS);
                rotate(Arc::clone(&foundation)).await;
            }
            let choice = pedantry.draw(|choices| choices.background.index(usize::MAX));
            let now = foundation.clock.now_milliseconds();
            let storage = &foundation.storage;
            match storage
                .write(move |write| redeliver(write, choice, now))
                .await
            {
                Ok(()) => wake.wake(),
                Err(error) => tracing::warn!(%error, "the sandbox could not send events again"),
            }
        }
    })
}

impl Pedantry {
    fn draw_seconds(&self, (least, most): (i32, i32)) -> u64 {
        let drawn = self.draw(|choices| choices.background.between(least, most));
        u64::from(drawn.unsigned_abs())
    }
}

/// The next keys of answers were published at the rotation before. The event key changes twice, so that
/// its successor signs without notice, as after `onward keys rotate --now`.
async fn rotate(foundation: Arc<Foundation>) {
    let rotating = tokio::task::spawn_blocking(move || {
        let storage = &foundation.storage;
        if storage.read_blocking(storage::keys::list_keys)?.len() >= KEYS_MAX {
            return Ok(false);
        }
        let safe = foundation.config.key_safe().open().map_err(Failure::new)?;
        let rotation = Rotation {
            size: None,
            is_forced: true,
            now: foundation.clock.now_seconds(),
        };
        for purposes in [
            &[Purpose::Provenance, Purpose::Event][..],
            &[Purpose::Event],
        ] {
            keys::rotate(storage, &safe, purposes, &rotation).map_err(Failure::new)?;
        }
        Ok(true)
    });
    match rotating.await.map_err(Failure::new).flatten() {
        Ok(true) => tracing::info!("the sandbox rotated the keys of answers and events"),
        Ok(false) => {}
        Err(error) => tracing::warn!(%error, "the sandbox could not rotate its keys"),
    }
}

/// Sends one of the newest events again to each subscription, as its subscriber could (S-37).
fn redeliver(write: &mut Write<'_>, choice: usize, now: i64) -> Result<(), StorageError> {
    let filter = DeliveryFilter {
        state: Some(DeliveryState::Delivered),
        event_type: None,
    };
    for subscription in subscription_overview::list_overviews(write, None)? {
        let id = subscription.id;
        let (_, newest) = delivery_log::list_deliveries(write, id, filter, DELIVERIES, 0)?;
        let chosen = choice.checked_rem(newest.len());
        let chosen = chosen.and_then(|place| newest.get(place));
        if let Some(delivery) = chosen.filter(|_delivery| subscription.is_active) {
            delivery_log::redeliver(write, id, delivery.id, now)?;
        }
    }
    Ok(())
}
