//! Bounds of the delivery of events.

/// Signed events kept in memory.
pub(crate) const EVENT_JWTS_CACHED_MAX: usize = 10_000;
/// Lanes that one node delivers on at once.
pub(crate) const LANES_MAX: usize = 2_000;
/// Properties whose next delivery a lane reads ahead.
pub(crate) const LANE_HEADS_READ: usize = 64;
/// Properties that are so few that what waits behind their next deliveries is read as well.
pub(crate) const LANE_HEADS_FEW: usize = 8;
/// Deliveries behind one of them that a lane reads ahead.
pub(crate) const LANE_FOLLOWING_READ: usize = 16;
