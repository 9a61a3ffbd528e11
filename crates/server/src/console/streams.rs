//! Tells open pages that their chain has a newer version, as server-sent events.
//!
//! One task of a node asks the store once a second for the versions of all chains that somebody looks at.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chain::ids::ChainId;
use edge::drain::Drain;
use storage::{Storage, StorageError, chains};
use tokio::sync::watch;

use crate::limits;

/// The chains that open pages of this node show.
#[derive(Debug, Default)]
pub struct Streams {
    watched: Mutex<Watched>,
}

#[derive(Debug, Default)]
struct Watched {
    chains: HashMap<ChainId, watch::Sender<i64>>,
    /// Open streams of each session.
    sessions: HashMap<i64, usize>,
    open: usize,
}

/// One open stream. Dropping it makes room for another.
#[derive(Debug)]
pub struct Subscription {
    streams: Arc<Streams>,
    session: i64,
    versions: watch::Receiver<i64>,
}

impl Streams {
    /// Opens a stream about a chain, of which the page shows this version. `None` if the session or
    /// this node has too many.
    pub fn subscribe(
        self: &Arc<Self>,
        session: i64,
        chain: ChainId,
        version: i64,
    ) -> Option<Subscription> {
        let mut watched = self.lock();
        if watched.open >= limits::STREAMS_MAX {
            return None;
        }
        match watched.sessions.entry(session) {
            Entry::Occupied(mut open) if *open.get() < limits::STREAMS_OF_SESSION_MAX => {
                *open.get_mut() += 1;
            }
            Entry::Occupied(_) => return None,
            Entry::Vacant(vacant) => drop(vacant.insert(1)),
        }
        watched.open += 1;
        let sender = watched.chains.entry(chain);
        let sender = sender.or_insert_with(|| watch::Sender::new(version));
        let mut versions = sender.subscribe();
        // A page that shows an older version than others learns of it at once.
        if *sender.borrow() > version {
            versions.mark_changed();
        }
        Some(Subscription {
            streams: Arc::clone(self),
            session,
            versions,
        })
    }

    /// Ends all streams, so that browsers go to another node.
    fn end_all(&self) {
        self.lock().chains.clear();
    }

    fn watched_chains(&self) -> Vec<ChainId> {
        let mut watched = self.lock();
        watched
            .chains
            .retain(|_chain, sender| sender.receiver_count() > 0);
        watched.chains.keys().copied().collect()
    }

    fn announce(&self, versions: &[(ChainId, i64)]) {
        let watched = self.lock();
        for (chain, version) in versions {
            if let Some(sender) = watched.chains.get(chain) {
                sender.send_if_modified(|known| {
                    let is_newer = *version > *known;
                    *known = (*known).max(*version);
                    is_newer
                });
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscription {
    /// Waits for a newer version. `None` when the stream must end.
    pub async fn next(&mut self) -> Option<i64> {
        self.versions.changed().await.ok()?;
        Some(*self.versions.borrow_and_update())
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut watched = self.streams.lock();
        watched.open = watched.open.saturating_sub(1);
        if let Entry::Occupied(mut open) = watched.sessions.entry(self.session) {
            *open.get_mut() -= 1;
            if *open.get() == 0 {
                open.remove();
            }
        }
    }
}

/// Asks for versions once a second until `stop` turns true. A draining node ends its streams.
pub(crate) async fn run(
    streams: Arc<Streams>,
    storage: Storage,
    drain: Arc<Drain>,
    mut stop: watch::Receiver<bool>,
) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(limits::STREAM_INTERVAL) => {}
            _stopped = stop.wait_for(|stop| *stop) => {
                streams.end_all();
                return;
            }
        }
        if drain.has_begun() {
            streams.end_all();
            continue;
        }
        let watched = streams.watched_chains();
        if watched.is_empty() {
            continue;
        }
        let reading = storage.read_by_index(move |read| {
            let versions = watched.into_iter().map(|chain| {
                // A chain that was dissolved has no version, which is news too.
                let version = chains::find_version(read, chain)?;
                Ok((chain, version.unwrap_or(i64::MAX)))
            });
            versions.collect::<Result<Vec<_>, StorageError>>()
        });
        match reading.await {
            Ok(versions) => streams.announce(&versions),
            Err(error) => tracing::debug!(%error, "the versions of open chains cannot be read"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use chain::ids::ChainId;
    use uuid::Uuid;

    use super::Streams;
    use crate::limits;

    #[tokio::test]
    async fn a_page_learns_of_newer_versions_only() {
        let streams = Arc::<Streams>::default();
        let chain = ChainId(Uuid::from_u128(1));
        let mut page = streams.subscribe(1, chain, 5).unwrap();
        streams.announce(&[(chain, 5), (chain, 7), (chain, 6)]);
        assert_eq!(page.next().await, Some(7));
        let mut older = streams.subscribe(2, chain, 5).unwrap();
        assert_eq!(older.next().await, Some(7));
        streams.end_all();
        assert_eq!(page.next().await, None);
    }

    #[test]
    fn a_session_has_few_streams() {
        let streams = Arc::<Streams>::default();
        let chain = ChainId(Uuid::from_u128(1));
        let open = |session| streams.subscribe(session, chain, 1);
        let mut all: Vec<_> = (0..limits::STREAMS_OF_SESSION_MAX)
            .map(|_stream| open(1).unwrap())
            .collect();
        assert!(open(1).is_none());
        assert!(open(2).is_some());
        all.pop();
        assert!(open(1).is_some());
    }
}
