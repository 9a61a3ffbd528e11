//! Looks names up, and refuses names with a forbidden address.

use std::net::{IpAddr, ToSocketAddrs as _};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use tokio::sync::Semaphore;

use crate::limits;
use crate::networks::AllowedNetworks;

/// A running lookup of the addresses of a name.
pub type Resolving = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Looks names up. In tests a name can have several addresses, or other addresses at each lookup.
pub trait Resolver: fmt::Debug + Send + Sync {
    /// Looks up all addresses of a name. The lookup ends within a few seconds.
    fn resolve(&self, name: &str) -> Resolving;
}

/// The resolver of the operating system.
#[derive(Debug)]
pub struct SystemResolver {
    timeout: Duration,
    permits: Arc<Semaphore>,
}

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

impl SystemResolver {
    /// Makes a resolver with this timeout of a lookup.
    pub fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            permits: Arc::new(Semaphore::new(limits::LOOKUPS_MAX)),
        }
    }
}

impl Resolver for SystemResolver {
    fn resolve(&self, name: &str) -> Resolving {
        let (name, timeout) = (name.to_owned(), self.timeout);
        let permits = Arc::clone(&self.permits);
        Box::pin(async move {
            let lookup = async move {
                let permit = permits.acquire_owned().await.map_err(io::Error::other)?;
                let looking = tokio::task::spawn_blocking(move || {
                    // Held until the thread is free, even when no caller waits any more.
                    let _permit = permit;
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

/// The addresses of a name, or an error if *any* of them is forbidden. No subscriber has a public
/// and a private address for one name by mistake.
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
