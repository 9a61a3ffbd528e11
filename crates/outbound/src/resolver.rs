//! From a name to addresses, all of which an event may be sent to.

use std::net::{IpAddr, ToSocketAddrs as _};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use tokio::sync::Semaphore;

use crate::limits;
use crate::networks::AllowedNetworks;

/// What a lookup becomes: the addresses of a name, at least one.
pub type Resolving = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Looks names up. The program has one implementation; tests have others, in which a name can
/// have two addresses, or other ones each time it is asked for.
pub trait Resolver: fmt::Debug + Send + Sync {
    /// All addresses of a name. The lookup ends by itself within a few seconds.
    fn resolve(&self, name: &str) -> Resolving;
}

/// The resolver of the operating system.
#[derive(Debug)]
pub struct SystemResolver {
    timeout: Duration,
    places: Arc<Semaphore>,
}

/// Why a name gives no address to connect to.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// The name is not known, or nobody answered in time.
    #[error("the name does not resolve: {0}")]
    Unresolved(io::Error),
    /// One of the addresses may not be connected to.
    #[error("the address {0} is not allowed")]
    Forbidden(IpAddr),
}

impl SystemResolver {
    /// One that waits so long for a lookup.
    pub fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            places: Arc::new(Semaphore::new(limits::LOOKUPS_MAX)),
        }
    }
}

impl Resolver for SystemResolver {
    fn resolve(&self, name: &str) -> Resolving {
        let (name, timeout) = (name.to_owned(), self.timeout);
        let places = Arc::clone(&self.places);
        Box::pin(async move {
            let lookup = async move {
                let place = places.acquire_owned().await.map_err(io::Error::other)?;
                let looking = tokio::task::spawn_blocking(move || {
                    // Held for as long as the thread is taken, even when nobody waits any more.
                    let _place = place;
                    let found = (name.as_str(), 0).to_socket_addrs()?;
                    Ok(found.map(|address| address.ip()).collect())
                });
                looking.await.map_err(io::Error::other)?
            };
            let found = tokio::time::timeout(timeout, lookup).await;
            found.map_err(|_elapsed| io::Error::from(io::ErrorKind::TimedOut))?
        })
    }
}

/// The addresses of a name. If *any* of them is forbidden there is none: a name that shows a
/// public address beside a private one is not what a subscriber has by mistake.
pub async fn resolve_allowed(
    resolving: Resolving,
    allowed: &AllowedNetworks,
) -> Result<Vec<IpAddr>, ResolveError> {
    let addresses = resolving.await.map_err(ResolveError::Unresolved)?;
    if addresses.is_empty() {
        let reason = io::Error::new(io::ErrorKind::NotFound, "it has no address");
        return Err(ResolveError::Unresolved(reason));
    }
    match addresses.iter().find(|address| !allowed.allows(**address)) {
        Some(forbidden) => Err(ResolveError::Forbidden(*forbidden)),
        None => Ok(addresses),
    }
}
