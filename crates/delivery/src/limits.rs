//! Bounds of the delivery of events.

/// Signed events kept in memory.
pub(crate) const EVENT_JWTS_CACHED_MAX: usize = 10_000;
/// Lanes that one node delivers on at once.
pub(crate) const LANES_MAX: usize = 2_000;
/// A lane reads the next delivery of so many properties ahead.
pub(crate) const LANE_HEADS_READ: usize = 64;
/// With fewer properties than this, a lane also reads the deliveries behind the next ones.
pub(crate) const LANE_HEADS_FEW: usize = 8;
/// Deliveries behind the next one of a property that a lane reads ahead.
pub(crate) const LANE_FOLLOWING_READ: usize = 16;
/// A lane remembers for so many properties when it served them last.
pub(crate) const LANE_PROPERTIES_NOTED: usize = 256;
