//! An answered request and its caller, as the layer around all routes sees them.

use std::net::IpAddr;

use crate::problem::Problem;

/// The caller of a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Caller {
    /// The id of a proven client, or `api-key` and the number of a proven API key.
    Proven(String),
    /// The address of the peer of an unproven caller.
    At(IpAddr),
}

/// An answered request.
#[derive(Debug)]
pub(crate) struct Answered<'a> {
    /// The id of the request, as in its answer.
    pub request_id: &'a str,
    /// The path as it was sent.
    pub path: &'a str,
    /// The id of the proven client, or `api-key` and the number of the proven API key.
    pub proven: Option<&'a str>,
    /// The address of the peer.
    pub address: IpAddr,
    /// The refusal, if the answer is one.
    pub problem: Option<&'a Problem>,
}

impl Answered<'_> {
    /// The caller.
    pub(crate) fn caller(&self) -> Caller {
        self.proven
            .map_or(Caller::At(self.address), |id| Caller::Proven(id.to_owned()))
    }
}
