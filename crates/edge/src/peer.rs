//! The peer of a connection, as requests show it.

use std::net::IpAddr;

use signing::certificate::PeerCertificate;

/// The peer of a connection, among the extensions of each request.
#[derive(Debug, Clone)]
pub struct Peer {
    /// Its address.
    pub address: IpAddr,
    /// Its certificate, verified against the configured authorities.
    pub certificate: Option<PeerCertificate>,
}
