//! Counts connections by peer address, so that one address cannot take them all.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The open connections of each network. There are never more entries than connections.
#[derive(Debug)]
pub struct Peers {
    open: Mutex<HashMap<IpAddr, usize>>,
    max: usize,
    /// Proxies. One connection of theirs carries many callers.
    exempt: Vec<IpAddr>,
}

/// The permit of one connection. Dropping it frees the permit.
#[derive(Debug)]
pub struct ConnectionPermit {
    peers: Arc<Peers>,
    /// `None` for a connection that is not counted.
    network: Option<IpAddr>,
}

impl Peers {
    /// Starts without connections. `max` bounds each network (0: no bound); `exempt` addresses are
    /// not counted.
    pub fn new(max: usize, exempt: Vec<IpAddr>) -> Self {
        Self {
            open: Mutex::default(),
            max,
            exempt,
        }
    }

    /// Admits one more connection, unless its network has too many.
    pub fn admit(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionPermit> {
        let address = address.to_canonical();
        let is_counted = self.max > 0 && !self.exempt.contains(&address);
        let network = is_counted.then(|| network_of(address));
        if let Some(network) = network {
            let mut open = self.lock();
            let count = open.entry(network).or_default();
            if *count >= self.max {
                return None;
            }
            *count += 1;
        }
        Some(ConnectionPermit {
            peers: Arc::clone(self),
            network,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let Some(network) = self.network else {
            return;
        };
        let mut open = self.peers.lock();
        if let Some(count) = open.get_mut(&network) {
            *count -= 1;
            if *count == 0 {
                open.remove(&network);
            }
        }
    }
}

/// The network that is counted: an owner of one IPv6 address has all 64 lower bits (RFC 6177).
fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            let network = address.to_bits() >> 64 << 64;
            IpAddr::V6(Ipv6Addr::from_bits(network))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peers(max: usize) -> Arc<Peers> {
        Arc::new(Peers::new(max, vec!["192.0.2.9".parse().unwrap()]))
    }

    #[test]
    fn one_network_has_so_many_places_and_no_more() {
        for (here, there) in [
            (["192.0.2.1", "192.0.2.1", "::ffff:192.0.2.1"], "192.0.2.2"),
            (
                ["2001:db8::1", "2001:db8::2", "2001:db8:0:0:ffff::"],
                "2001:db8:0:1::1",
            ),
        ] {
            let peers = peers(2);
            let admit = |text: &str| peers.admit(text.parse().unwrap());
            let (first, second) = (admit(here[0]), admit(here[1]));
            assert!(first.is_some() && second.is_some(), "{here:?}");
            assert!(admit(here[2]).is_none(), "{here:?}");
            assert!(admit(there).is_some(), "{there}");
            drop(first);
            let third = admit(here[2]);
            assert!(third.is_some(), "{here:?}");
            drop((second, third));
            assert!(peers.lock().is_empty(), "what is closed takes no memory");
        }
    }

    #[test]
    fn proxies_are_not_counted_and_zero_is_no_bound() {
        for (max, address) in [(1, "192.0.2.9"), (0, "192.0.2.1")] {
            let peers = peers(max);
            let places: Vec<_> = (0..100)
                .map(|_| peers.admit(address.parse().unwrap()))
                .collect();
            assert!(places.iter().all(Option::is_some), "{address}");
        }
    }
}
