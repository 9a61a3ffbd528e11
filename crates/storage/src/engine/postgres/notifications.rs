//! Notifications between the nodes of one database, by LISTEN on a separate connection and NOTIFY
//! outside of all other transactions. PostgreSQL serialises the commits of transactions that notify.

use std::mem;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio_postgres::Notification;

use super::{PostgresOptions, STATEMENT_DEADLINE, connect};
use crate::session::Read;
use crate::{Result, StorageError};

/// How often the thread checks whether its handle was dropped.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How long the thread waits before it connects again.
const RECONNECT_PAUSE: Duration = Duration::from_secs(1);

/// Listens to the other nodes until it is dropped.
#[derive(Debug)]
pub struct NotificationListener {
    _alive: Arc<()>,
}

/// Starts a thread that calls `on_notice` for each notification from a node other than `name`.
pub(super) fn listen(
    options: Arc<PostgresOptions>,
    name: String,
    on_notice: impl Fn() + Send + 'static,
) -> Result<NotificationListener> {
    let alive = Arc::new(());
    let handle = Arc::downgrade(&alive);
    let listen = move || {
        let mut is_broken = false;
        while handle.strong_count() > 0 {
            let on_begin = || {
                if mem::take(&mut is_broken) {
                    tracing::info!("the connection for notifications works again");
                }
                // Notifications from before are lost.
                on_notice();
            };
            let ended = listen_on_one_connection(&options, &handle, on_begin, |notice| {
                if notice.payload() != name {
                    on_notice();
                }
            });
            if let Err(error) = ended {
                if !mem::replace(&mut is_broken, true) {
                    tracing::warn!(%error, "the connection for notifications broke and is made again");
                }
                std::thread::sleep(RECONNECT_PAUSE);
            }
        }
    };
    std::thread::Builder::new()
        .name("onward-notices".to_owned())
        .spawn(listen)
        .map_err(|error| StorageError::Unavailable(error.to_string()))?;
    Ok(NotificationListener { _alive: alive })
}

/// Notifies the other nodes. A notification need not survive a crash, so this does not wait for
/// the disk.
pub(crate) fn notify(read: &mut Read<'_>, name: &str) -> Result<()> {
    read.query(
        "select set_config('synchronous_commit', 'off', true), pg_notify('onward', $1)",
        &[name.into()],
        |_row| Ok(()),
    )?;
    Ok(())
}

/// Returns when the handle was dropped, or with the error of the connection. Calls `on_begin` when it
/// listens.
fn listen_on_one_connection(
    options: &PostgresOptions,
    handle: &Weak<()>,
    on_begin: impl FnOnce(),
    on_notice: impl Fn(&Notification),
) -> Result<()> {
    let mut client = connect(options, STATEMENT_DEADLINE)?.client;
    client.batch_execute("listen onward")?;
    on_begin();
    while handle.strong_count() > 0 {
        if client.is_closed() {
            return Err(StorageError::Unavailable("it was closed".to_owned()));
        }
        if let Some(notice) = client.next_notification(CHECK_INTERVAL)? {
            on_notice(&notice);
        }
    }
    Ok(())
}
