//! Tells open pages that their chain has a newer version, as server-sent events.
//!
//! One task of a node asks the store once a second for the versions of all chains that somebody looks at.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chain::ids::ChainId;
use edge::drain::Drain;
use observe::clock::Clock;
use storage::{Storage, StorageError, chains};
use tokio::sync::{Notify, watch};

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
    /// When each open stream looks at its session again.
    looks: HashMap<u64, Look>,
    /// The number of the next stream.
    next: u64,
}

#[derive(Debug)]
struct Look {
    due: Arc<Notify>,
    /// Unix seconds.
    at: i64,
}

/// The chain of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenPage {
    /// The viewer's session.
    pub session: i64,
    /// The chain.
    pub chain: ChainId,
    /// The version that the store has.
    pub stored: i64,
    /// Whether the page shows an older state than the store has.
    pub is_outdated: bool,
}

/// One open stream. Dropping it makes room for another.
#[derive(Debug)]
pub struct Subscription {
    streams: Arc<Streams>,
    number: u64,
    session: i64,
    versions: watch::Receiver<i64>,
    look: Arc<Notify>,
}

/// The cause for which a stream wakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The chain has this version now.
    Newer(i64),
    /// It is time to look at the session again.
    Look,
}

impl Streams {
    /// Opens a stream for a page. `None` if the session or this node has too many. `now` is in Unix seconds.
    pub fn subscribe(self: &Arc<Self>, page: &OpenPage, now: i64) -> Option<Subscription> {
        let mut watched = self.lock();
        if watched.looks.len() >= limits::STREAMS_MAX {
            return None;
        }
        match watched.sessions.entry(page.session) {
            Entry::Occupied(mut open) if *open.get() < limits::STREAMS_OF_SESSION_MAX => {
                *open.get_mut() += 1;
            }
            Entry::Occupied(_) => return None,
            Entry::Vacant(vacant) => drop(vacant.insert(1)),
        }
        let number = watched.next;
        watched.next += 1;
        let look = Look {
            due: Arc::default(),
            at: now + limits::STREAM_LOOK_SECONDS,
        };
        let due = Arc::clone(&look.due);
        watched.looks.insert(number, look);
        let sender = watched.chains.entry(page.chain);
        let sender = sender.or_insert_with(|| watch::Sender::new(page.stored));
        raise(sender, page.stored);
        let mut versions = sender.subscribe();
        if page.is_outdated || *sender.borrow() > page.stored {
            versions.mark_changed();
        }
        Some(Subscription {
            streams: Arc::clone(self),
            number,
            session: page.session,
            versions,
            look: due,
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
                raise(sender, *version);
            }
        }
    }

    /// Wakes the streams that are due to look at their sessions.
    fn wake_due(&self, now: i64) {
        for look in self.lock().looks.values_mut() {
            if look.at <= now {
                look.at = now + limits::STREAM_LOOK_SECONDS;
                look.due.notify_one();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Announces a version of the store, unless a newer one is known.
fn raise(known: &watch::Sender<i64>, version: i64) {
    known.send_if_modified(|known| {
        let is_newer = version > *known;
        *known = (*known).max(version);
        is_newer
    });
}

impl Subscription {
    /// Waits for a cause. `None` when the stream must end.
    pub async fn next(&mut self) -> Option<Cause> {
        tokio::select! {
            changed = self.versions.changed() => {
                changed.ok()?;
                Some(Cause::Newer(*self.versions.borrow_and_update()))
            }
            () = self.look.notified() => Some(Cause::Look),
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut watched = self.streams.lock();
        watched.looks.remove(&self.number);
        if let Entry::Occupied(mut open) = watched.sessions.entry(self.session) {
            *open.get_mut() -= 1;
            if *open.get() == 0 {
                open.remove();
            }
        }
    }
}

/// Asks for versions once a second until `stop` turns true. A draining node ends its streams.
pub async fn run(
    streams: Arc<Streams>,
    storage: Storage,
    clock: Clock,
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
        streams.wake_due(clock.now_seconds());
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

    use super::{Cause, OpenPage, Streams, Subscription};
    use crate::limits;

    const NOW: i64 = 1_800_000_000;

    fn open(streams: &Arc<Streams>, session: i64, stored: i64) -> Option<Subscription> {
        open_page(streams, session, stored, false)
    }

    fn open_page(
        streams: &Arc<Streams>,
        session: i64,
        stored: i64,
        is_outdated: bool,
    ) -> Option<Subscription> {
        let page = OpenPage {
            session,
            chain: ChainId(Uuid::from_u128(1)),
            stored,
            is_outdated,
        };
        streams.subscribe(&page, NOW)
    }

    #[tokio::test]
    async fn a_page_learns_of_newer_versions_only() {
        let streams = Arc::<Streams>::default();
        let chain = ChainId(Uuid::from_u128(1));
        let mut page = open(&streams, 1, 5).unwrap();
        streams.announce(&[(chain, 5), (chain, 7), (chain, 6)]);
        assert_eq!(page.next().await, Some(Cause::Newer(7)));
        let mut outdated = open_page(&streams, 2, 7, true).unwrap();
        assert_eq!(outdated.next().await, Some(Cause::Newer(7)));
        // The store was read before the version was announced.
        let mut slow = open(&streams, 3, 6).unwrap();
        assert_eq!(slow.next().await, Some(Cause::Newer(7)));
        streams.end_all();
        assert_eq!(page.next().await, None);
    }

    #[tokio::test]
    async fn a_stream_looks_at_its_session_again_and_again() {
        let streams = Arc::<Streams>::default();
        let mut page = open(&streams, 1, 5).unwrap();
        let seconds = limits::STREAM_LOOK_SECONDS;
        for (now, expected) in [
            (NOW + seconds - 1, None),
            (NOW + seconds, Some(Cause::Look)),
            (NOW + 2 * seconds - 1, None),
            (NOW + 2 * seconds, Some(Cause::Look)),
        ] {
            streams.wake_due(now);
            let woken = tokio::select! {
                biased;
                woken = page.next() => woken,
                () = std::future::ready(()) => None,
            };
            assert_eq!(woken, expected, "{now}");
        }
    }

    #[test]
    fn a_session_has_few_streams() {
        let streams = Arc::<Streams>::default();
        let open = |session| open(&streams, session, 1);
        let mut all: Vec<_> = (0..limits::STREAMS_OF_SESSION_MAX)
            .map(|_stream| open(1).unwrap())
            .collect();
        assert!(open(1).is_none());
        assert!(open(2).is_some());
        all.pop();
        assert!(open(1).is_some());
    }
}
