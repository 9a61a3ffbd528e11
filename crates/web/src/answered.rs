//! An answered request and its caller, as the layer around all routes sees them.

use std::net::{IpAddr, Ipv6Addr};

use crate::problem::Problem;

/// The caller of a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Caller {
    /// The id of a proven client, or `api-key` and the number of a proven API key.
    Proven(String),
    /// The address of the peer of an unproven caller; of IPv6 the first half.
    At(IpAddr),
}

/// Marks an answer with a body that all callers share in memory. Such an answer does not count as unread.
#[derive(Debug, Clone, Copy)]
pub struct SharedBody;

/// An answered request.
#[derive(Debug)]
pub struct Answered<'a> {
    /// The id of the request, as in its answer.
    pub request_id: &'a str,
    /// The UUID that the caller sent as `x-fapi-interaction-id` (S-77).
    pub interaction_id: Option<&'a str>,
    /// The path as it was sent.
    pub path: &'a str,
    /// The id of the proven client, or `api-key` and the number of the proven API key.
    pub proven: Option<&'a str>,
    /// The address of the peer.
    pub address: IpAddr,
    /// The refusal, if the answer is one.
    pub problem: Option<&'a Problem>,
}

/// The network that one caller has: an IPv6 host has 2^64 addresses.
pub fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(mapped) => mapped.into(),
            None => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
        },
    }
}

/// The paths of the console after which a secret stands.
const BEFORE_SECRETS: [&str; 3] = ["/share/", "/invitation/", "/enter/"];

/// The characters of a path that the log shows.
const LOGGED_CHARACTERS_MAX: usize = 200;

/// A path as the log may show it: shortened, without secrets, and without control characters that a terminal
/// would obey.
pub fn logged_path(path: &str) -> String {
    let mut before = BEFORE_SECRETS.iter();
    match before.find(|before| path.starts_with(**before)) {
        Some(before) => format!("{before}…"),
        None => path
            .chars()
            .take(LOGGED_CHARACTERS_MAX)
            .collect::<String>()
            .escape_debug()
            .to_string(),
    }
}

impl Answered<'_> {
    /// The caller.
    pub fn caller(&self) -> Caller {
        match self.proven {
            Some(id) => Caller::Proven(id.to_owned()),
            None => Caller::At(network_of(self.address)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{logged_path, network_of};

    #[test]
    fn an_ipv6_host_is_one_caller() {
        for (address, network) in [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ] {
            let found = network_of(address.parse().unwrap());
            assert_eq!(found, network.parse::<std::net::IpAddr>().unwrap());
        }
    }

    #[test]
    fn a_logged_path_has_no_secret_and_no_control_character() {
        for (path, logged) in [
            ("/share/0E9M4q", "/share/…"),
            ("/share/0E9M4q.json", "/share/…"),
            ("/invitation/abc", "/invitation/…"),
            ("/enter/abc", "/enter/…"),
            ("/chains/1/shares", "/chains/1/shares"),
            ("/a\u{1b}[2J", "/a\\u{1b}[2J"),
        ] {
            assert_eq!(logged_path(path), logged);
        }
    }
}
