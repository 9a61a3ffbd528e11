//! Decides which network addresses an event may be sent to (S-31), without lookups or sockets.
//!
//! A subscriber chooses the callback's address, and this program connects to it from inside the
//! operator's network. So only addresses on the public internet are allowed, in any notation, and
//! networks that the operator has listed.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

#[cfg(test)]
mod tests;

/// The networks that the operator allows although they are not public.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedNetworks(Vec<IpNet>);

/// A text that names no network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The text is no network.
    #[error("`{0}` is no network: write it like 10.1.0.0/16, fd00:1::/32 or 10.1.2.3")]
    Unreadable(String),
    /// The address has bits outside the prefix. A mistyped prefix would allow more than the
    /// operator meant.
    #[error(
        "`{written}` is no network, because its address is longer than its prefix: write {network} if that is meant"
    )]
    LongerThanPrefix {
        /// The text of the setting.
        written: String,
        /// The network around it.
        network: IpNet,
    },
}

/// The special ranges of IPv4: IANA's registry of special-purpose addresses (RFC 6890), multicast
/// (RFC 5771) and one address of a cloud.
const SPECIAL_V4: [Ipv4Net; 20] = [
    // "This network" (RFC 791); Linux takes 0.0.0.0 for the machine itself.
    v4([0, 0, 0, 0], 8),
    // Private (RFC 1918), here and below.
    v4([10, 0, 0, 0], 8),
    // Shared by carriers (RFC 6598); also the metadata service of Alibaba's cloud.
    v4([100, 64, 0, 0], 10),
    // Loopback (RFC 1122).
    v4([127, 0, 0, 0], 8),
    // Link-local (RFC 3927), with the metadata services of most clouds.
    v4([169, 254, 0, 0], 16),
    v4([172, 16, 0, 0], 12),
    // Protocol assignments (RFC 6890).
    v4([192, 0, 0, 0], 24),
    // Documentation (RFC 5737), here and below.
    v4([192, 0, 2, 0], 24),
    // Sinks of reverse lookups, AS112 (RFC 7535).
    v4([192, 31, 196, 0], 24),
    // Multicast tunnels (RFC 7450).
    v4([192, 52, 193, 0], 24),
    // The former 6to4 relays (RFC 7526).
    v4([192, 88, 99, 0], 24),
    v4([192, 168, 0, 0], 16),
    // AS112 again (RFC 7534).
    v4([192, 175, 48, 0], 24),
    // Benchmarks (RFC 2544).
    v4([198, 18, 0, 0], 15),
    v4([198, 51, 100, 0], 24),
    v4([203, 0, 113, 0], 24),
    // Multicast (RFC 5771).
    v4([224, 0, 0, 0], 4),
    // Reserved (RFC 1112), and broadcast (RFC 919), which it contains.
    v4([240, 0, 0, 0], 4),
    v4([255, 255, 255, 255], 32),
    // A public address that means the host of the virtual machine in Microsoft's cloud.
    v4([168, 63, 129, 16], 32),
];

/// The only range of public addresses (RFC 4291 section 2.4). Outside of it lie loopback,
/// IPv4-compatible, `64:ff9b:1::/48`, discard, `5f00::/16`, unique local, link-local, site-local,
/// multicast and unassigned addresses.
const GLOBAL_UNICAST: Ipv6Net = v6([0x2000, 0, 0], 3);

/// The special ranges within [`GLOBAL_UNICAST`], by IANA's registry.
const SPECIAL_V6: [Ipv6Net; 5] = [
    // Protocol assignments (RFC 2928): Teredo, benchmarks, ORCHID and others.
    v6([0x2001, 0, 0], 23),
    // Documentation (RFC 3849, RFC 9637), here and below.
    v6([0x2001, 0xdb8, 0], 32),
    // 6to4 (RFC 3056) contains an IPv4 address. Its relays are gone (RFC 7526), so no callback uses
    // it.
    v6([0x2002, 0, 0], 16),
    // AS112 (RFC 7534).
    v6([0x2620, 0x4f, 0x8000], 48),
    v6([0x3fff, 0, 0], 20),
];

/// IPv4 addresses behind a NAT64 translator (RFC 6052 section 2.1).
const NAT64: Ipv6Net = v6([0x64, 0xff9b, 0], 96);

/// Whether an address lies on the public internet. An IPv4-mapped or NAT64 address is as public as
/// the IPv4 address in it.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match embedded_v4(address) {
            Some(inner) => is_public_v4(inner),
            None => {
                GLOBAL_UNICAST.contains(&address)
                    && !SPECIAL_V6.iter().any(|range| range.contains(&address))
            }
        },
    }
}

impl AllowedNetworks {
    /// Reads networks, each as address and prefix (`10.1.0.0/16`) or as one address.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, NetworkError> {
        let networks = texts.into_iter().map(parse_network);
        networks.collect::<Result<_, _>>().map(Self)
    }

    /// Whether an event may be sent to this address: it is public, or in a listed network. A listed
    /// IPv4 network includes the IPv4-mapped addresses, which connect to the same host. It excludes
    /// NAT64, which leads to the network behind the translator.
    pub fn allows(&self, address: IpAddr) -> bool {
        let unmapped = address.to_canonical();
        let is_listed = |network: &IpNet| network.contains(&address) || network.contains(&unmapped);
        is_public(address) || self.0.iter().any(is_listed)
    }
}

fn parse_network(text: &str) -> Result<IpNet, NetworkError> {
    let text = text.trim();
    let alone = || text.parse::<IpAddr>().map(IpNet::from).ok();
    let network = text.parse::<IpNet>().ok().or_else(alone);
    let network = network.ok_or_else(|| NetworkError::Unreadable(text.to_owned()))?;
    if network.trunc() == network {
        Ok(network)
    } else {
        Err(NetworkError::LongerThanPrefix {
            written: text.to_owned(),
            network: network.trunc(),
        })
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !SPECIAL_V4.iter().any(|range| range.contains(&address))
}

/// The IPv4 address to which a connection to this address leads.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let last_four = || {
        let [.., a, b, c, d] = address.octets();
        Ipv4Addr::new(a, b, c, d)
    };
    let is_nat64 = NAT64.contains(&address);
    address.to_ipv4_mapped().or(is_nat64.then(last_four))
}

const fn v4([a, b, c, d]: [u8; 4], prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6([a, b, c]: [u16; 3], prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0), prefix)
}
