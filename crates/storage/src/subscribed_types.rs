//! The event types of a subscription.

use chain::event::EventType;

/// The event types of a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubscribedTypes {
    /// `milestone.updated`.
    pub milestones: bool,
    /// `fallthrough`.
    pub fall_throughs: bool,
    /// `chain.changed`.
    pub chain_changes: bool,
}

impl SubscribedTypes {
    /// Whether this is one of them.
    pub const fn has(self, event_type: EventType) -> bool {
        match event_type {
            EventType::MilestoneUpdated => self.milestones,
            EventType::FallThrough => self.fall_throughs,
            EventType::ChainChanged => self.chain_changes,
        }
    }
}
