//! Looks names up, and refuses names with a forbidden address.

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, ToSocketAddrs as _};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fmt, io};

use observe::clock::Stopwatch;
use tokio::sync::{Semaphore, watch};

use crate::limits;
use crate::networks::AllowedNetworks;

/// A running lookup of the addresses of a name.
pub type Resolving = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Looks names up. In tests a name can have several addresses, or other addresses at each lookup.
pub trait Resolver: fmt::Debug + Send + Sync {
    /// Looks up all addresses of a name. This takes as long as the name's server does, so callers
    /// bound the time that they wait. The lookup goes on when nobody waits any more.
    fn resolve(&self, name: &str) -> Resolving;
}

/// The resolver of the operating system.
///
/// Each lookup occupies a thread until the name's server has answered, and subscribers choose these
/// servers. So the resolver looks a name up once at a time, and all callers wait for this lookup. A
/// name is quick if its last lookup was. Quick names have threads of their own, so that names without
/// an answer do not delay them.
#[derive(Debug, Clone)]
pub struct SystemResolver {
    look_up: LookUp,
    names: Arc<Mutex<Names>>,
    quick: Arc<Semaphore>,
    others: Arc<Semaphore>,
}

/// Looks a name up and blocks meanwhile.
#[derive(Clone, Copy)]
struct LookUp(fn(&str) -> io::Result<Vec<IpAddr>>);

#[derive(Debug, Default)]
struct Names {
    running: HashMap<String, watch::Receiver<Option<Found>>>,
    /// The quick names.
    quick: HashSet<String>,
}

/// The addresses, or why there are none.
type Found = Result<Vec<IpAddr>, (io::ErrorKind, String)>;

/// Why no address of a name can be used.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// The name is not known, or no answer came in time.
    #[error("the name does not resolve: {0}")]
    Unresolved(io::Error),
    /// One of the addresses may not be connected to.
    #[error("the address {0} is not allowed")]
    Forbidden(IpAddr),
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self::new(|name| {
            let found = (name, 0).to_socket_addrs()?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

impl SystemResolver {
    fn new(look_up: fn(&str) -> io::Result<Vec<IpAddr>>) -> Self {
        Self {
            look_up: LookUp(look_up),
            names: Arc::default(),
            quick: Arc::new(Semaphore::new(limits::QUICK_LOOKUPS_MAX)),
            others: Arc::new(Semaphore::new(limits::OTHER_LOOKUPS_MAX)),
        }
    }

    /// The running lookup of a name, which begins now unless it runs already.
    fn begin(&self, name: &str) -> watch::Receiver<Option<Found>> {
        let mut names = self.lock();
        if let Some(running) = names.running.get(name) {
            return running.clone();
        }
        let places = if names.quick.contains(name) {
            &self.quick
        } else {
            &self.others
        };
        let (tell, running) = watch::channel(None);
        names.running.insert(name.to_owned(), running.clone());
        let (resolver, name, places) = (self.clone(), name.to_owned(), Arc::clone(places));
        tokio::spawn(async move {
            let found = resolver.look_up(&name, &places).await;
            // Nobody may wait any more.
            tell.send_replace(Some(found));
        });
        running
    }

    async fn look_up(&self, name: &str, places: &Semaphore) -> Found {
        let place = places.acquire().await;
        let watch = Stopwatch::start();
        let (look_up, asked) = (self.look_up, name.to_owned());
        let looking = tokio::task::spawn_blocking(move || (look_up.0)(&asked));
        let found = looking.await.map_err(io::Error::other).flatten();
        let is_quick = found.is_ok() && watch.elapsed() < limits::CALLBACK_RESOLVE_TIMEOUT;
        drop(place);
        let mut names = self.lock();
        names.running.remove(name);
        if !is_quick {
            names.quick.remove(name);
        } else if names.quick.len() < limits::QUICK_NAMES_MAX {
            names.quick.insert(name.to_owned());
        }
        found.map_err(|error| (error.kind(), error.to_string()))
    }

    fn lock(&self) -> MutexGuard<'_, Names> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for LookUp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("LookUp")
    }
}

impl Resolver for SystemResolver {
    fn resolve(&self, name: &str) -> Resolving {
        let mut running = self.begin(name);
        Box::pin(async move {
            let ended = running.wait_for(Option::is_some).await;
            let found = ended.map_err(io::Error::other)?.clone();
            let found = found.unwrap_or_else(|| Ok(Vec::new()));
            found.map_err(|(kind, text)| io::Error::new(kind, text))
        })
    }
}

/// The addresses of a name, if they come in time, or an error if *any* of them is forbidden. No
/// subscriber has a public and a private address for one name by mistake.
pub async fn resolve_allowed(
    resolving: Resolving,
    allowed: &AllowedNetworks,
) -> Result<Vec<IpAddr>, ResolveError> {
    let found = tokio::time::timeout(limits::CALLBACK_RESOLVE_TIMEOUT, resolving).await;
    let found = found.unwrap_or_else(|_elapsed| Err(io::ErrorKind::TimedOut.into()));
    let addresses = found.map_err(ResolveError::Unresolved)?;
    if addresses.is_empty() {
        let reason = io::Error::new(io::ErrorKind::NotFound, "it has no address");
        return Err(ResolveError::Unresolved(reason));
    }
    match addresses.iter().find(|address| !allowed.allows(**address)) {
        Some(forbidden) => Err(ResolveError::Forbidden(*forbidden)),
        None => Ok(addresses),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Condvar;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    /// Whether the server of silent names answers, and how many ask it.
    static SILENCE: Mutex<bool> = Mutex::new(true);
    static BROKEN: Condvar = Condvar::new();
    static ASKED: AtomicUsize = AtomicUsize::new(0);

    fn look_up(name: &str) -> io::Result<Vec<IpAddr>> {
        if name.starts_with("silent") {
            ASKED.fetch_add(1, Ordering::SeqCst);
            let silence = SILENCE.lock().unwrap();
            // A failed test must end too.
            let waited = BROKEN.wait_timeout_while(silence, 2 * PATIENCE, |is_silent| *is_silent);
            drop(waited.unwrap());
        }
        if name == "unknown" {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(vec![IpAddr::from([192, 0, 2, 1])])
    }

    #[tokio::test]
    async fn names_without_an_answer_hold_up_neither_each_other_nor_quick_ones() {
        let resolver = SystemResolver::new(look_up);
        assert_eq!(resolver.resolve("quick").await.unwrap().len(), 1);
        let unknown = resolver.resolve("unknown").await.unwrap_err();
        assert_eq!(unknown.kind(), io::ErrorKind::NotFound);
        let names: Vec<_> = (0..2 * limits::OTHER_LOOKUPS_MAX)
            .map(|number| format!("silent {number}"))
            .collect();
        // Each is asked for by many.
        for name in names.iter().cycle().take(10 * names.len()) {
            drop(resolver.resolve(name));
        }
        while ASKED.load(Ordering::SeqCst) < limits::OTHER_LOOKUPS_MAX {
            tokio::task::yield_now().await;
        }
        let quick = tokio::time::timeout(PATIENCE, resolver.resolve("quick")).await;
        assert_eq!(quick.unwrap().unwrap().len(), 1);
        assert_eq!(ASKED.load(Ordering::SeqCst), limits::OTHER_LOOKUPS_MAX);
        *SILENCE.lock().unwrap() = false;
        BROKEN.notify_all();
        for name in &names {
            assert_eq!(resolver.resolve(name).await.unwrap().len(), 1, "{name}");
        }
        let silent = ASKED.load(Ordering::SeqCst);
        assert!(
            silent <= 2 * names.len(),
            "{silent}: each name ran once at a time"
        );
    }
}
