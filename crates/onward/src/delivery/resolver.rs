//! From a name to addresses, all of which an event may be sent to.

use std::net::IpAddr;
use std::pin::Pin;
use std::time::Duration;
use std::{fmt, io};

use crate::delivery::address::AllowedNetworks;

/// What a lookup becomes: the addresses of a name, at least one.
pub type Resolving = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Looks names up. The program has one implementation; tests have others, in which a name can
/// have two addresses, or other ones each time it is asked for.
pub trait Resolver: fmt::Debug + Send + Sync {
    /// All addresses of a name. The lookup ends by itself within a few seconds.
    fn resolve(&self, name: &str) -> Resolving;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy)]
pub struct SystemResolver {
    /// How long a lookup may take.
    pub timeout: Duration,
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

impl Resolver for SystemResolver {
    fn resolve(&self, name: &str) -> Resolving {
        let (name, timeout) = (name.to_owned(), self.timeout);
        Box::pin(async move {
            let lookup = tokio::net::lookup_host((name.as_str(), 0));
            let found = tokio::time::timeout(timeout, lookup).await;
            let found = found.map_err(|_elapsed| io::Error::from(io::ErrorKind::TimedOut))??;
            Ok(found.map(|address| address.ip()).collect())
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
