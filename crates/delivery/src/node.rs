//! One node, as its lanes see it.

use std::sync::atomic::AtomicBool;

use observe::outage::Outage;

use crate::DeliveryContext;
use crate::event_jwt::EventJwts;

/// The parts that all lanes of this node share.
#[derive(Debug)]
pub(crate) struct Node {
    /// The parts that delivery uses.
    pub(crate) context: DeliveryContext,
    /// The name under which this node leases lanes.
    pub(crate) name: String,
    /// Signed events.
    pub(crate) jwts: EventJwts,
    /// Whether lanes cannot be leased.
    pub(crate) lease_outage: Outage,
    /// Whether lanes wait for a place, so that a lane gives its place back after a turn.
    pub(crate) is_crowded: AtomicBool,
}
