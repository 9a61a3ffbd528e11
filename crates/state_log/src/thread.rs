//! Runs work that blocks on a thread of its own.

use std::sync::Arc;

use storage::StorageError;

use crate::StateLog;
use crate::fault::Fault;

/// Runs `work` on the log.
pub(crate) async fn on_thread<T: Send + 'static>(
    log: &Arc<StateLog>,
    work: impl FnOnce(&StateLog) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let log = Arc::clone(log);
    let working = tokio::task::spawn_blocking(move || work(&log));
    working.await.unwrap_or(Err(StorageError::Stopped.into()))
}
