//! Words between the nodes of one database: LISTEN on a connection of its own, and NOTIFY outside
//! of every transaction that does business, because a transaction that notifies takes a lock that
//! all such transactions share.

use std::sync::{Arc, Weak};
use std::time::Duration;

use postgres::fallible_iterator::FallibleIterator;

use super::{PostgresOptions, connect, failed};
use crate::session::Read;
use crate::{Result, StorageError};

/// How soon the thread notices that nobody wants to hear any more.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long it waits before it connects again.
const RECONNECT_PAUSE: Duration = Duration::from_secs(1);

/// Hears other nodes until it is dropped.
#[derive(Debug)]
pub struct Hearing {
    _wanted: Arc<()>,
}

/// Calls `hear` for each notice of another node than `name`, on a thread of its own.
pub(super) fn hear(
    options: Arc<PostgresOptions>,
    name: String,
    hear: impl Fn() + Send + 'static,
) -> Result<Hearing> {
    let wanted = Arc::new(());
    let weak = Arc::downgrade(&wanted);
    std::thread::Builder::new()
        .name("onward-notices".to_owned())
        .spawn(move || {
            while weak.strong_count() > 0 {
                if let Err(error) = hear_on_one_connection(&options, &weak, &name, &hear) {
                    tracing::warn!(%error, "other nodes are not heard for a moment");
                    std::thread::sleep(RECONNECT_PAUSE);
                }
            }
        })
        .map_err(|error| StorageError::Unavailable(error.to_string()))?;
    Ok(Hearing { _wanted: wanted })
}

/// Tells the other nodes. What is lost with the machine needs no telling, so the disk is not
/// waited for.
pub(crate) fn tell(read: &mut Read<'_>, name: &str) -> Result<()> {
    read.query(
        "select set_config('synchronous_commit', 'off', true), pg_notify('onward', $1)",
        &[name.into()],
        |_row| Ok(()),
    )?;
    Ok(())
}

/// Returns when nobody wants to hear any more; an error is the connection's.
fn hear_on_one_connection(
    options: &PostgresOptions,
    wanted: &Weak<()>,
    name: &str,
    hear: &impl Fn(),
) -> Result<()> {
    let mut client = connect(options)?.client;
    let listening = client.batch_execute("listen onward");
    listening.map_err(|error| failed(&error))?;
    // What was told meanwhile was not heard.
    hear();
    while wanted.strong_count() > 0 {
        if client.is_closed() {
            return Err(StorageError::Unavailable("it was closed".to_owned()));
        }
        let mut notifications = client.notifications();
        let mut notices = notifications.timeout_iter(PATIENCE);
        while let Some(notice) = notices.next().map_err(|error| failed(&error))? {
            if notice.payload() != name {
                hear();
            }
            if wanted.strong_count() == 0 {
                break;
            }
        }
    }
    Ok(())
}
