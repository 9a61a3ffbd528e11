//! Logs the changes that operators make by commands, on every node that serves.

use std::time::Duration;

use observe::clock;
use observe::outage::Outage;
use storage::{Storage, StorageError, operator_changes};
use tokio::sync::watch;

/// How soon a change is in the log.
const INTERVAL: Duration = Duration::from_secs(2);
/// Changes that one round logs.
const CHANGES_MAX: i64 = 100;

/// Logs new changes until `stop` turns true.
pub async fn run(storage: Storage, mut stop: watch::Receiver<bool>) {
    let mut last = None;
    let outage = Outage::new("operators' changes cannot be read");
    loop {
        let logged = log_new(&storage, last).await;
        last = outage.note(logged).or(last);
        tokio::select! {
            () = tokio::time::sleep(INTERVAL) => {}
            _stopped = stop.wait_for(|stop| *stop) => return,
        }
    }
}

/// Logs the changes after `last`; without it, none. Returns the last one.
async fn log_new(storage: &Storage, last: Option<i64>) -> Result<i64, StorageError> {
    let Some(last) = last else {
        return storage.lookup(operator_changes::find_last_id).await;
    };
    let changes = storage
        .lookup(move |read| operator_changes::list_changes(read, last, CHANGES_MAX))
        .await?;
    for change in &changes {
        tracing::info!(
            event = "operator_change",
            id = change.id,
            changed_at = clock::to_rfc3339(change.changed_at),
            user = change.os_user,
            command = change.command,
            reason = change.reason,
            "an operator changed something"
        );
    }
    Ok(changes.last().map_or(last, |change| change.id))
}
