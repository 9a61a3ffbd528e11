//! The other side of a connection.

use std::net::IpAddr;

use signing::peer_certificate::PeerCertificate;

/// The other side of a connection, among the extensions of each request.
#[derive(Debug, Clone)]
pub struct Peer {
    /// Its address.
    pub address: IpAddr,
    /// Its certificate, verified against the configured authorities.
    pub certificate: Option<PeerCertificate>,
}
