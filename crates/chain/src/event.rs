//! The types of event, and the words of subscriptions to them (document 1, "Events"; S-39).

use std::fmt;

use crate::words;

words! {
    /// The type of an event, as subscribers name it. Document 1's come first.
    pub enum EventType {
        /// A milestone of document 1's catalogue other than Fall Through was recorded.
        MilestoneUpdated = "milestone.updated",
        /// The sale fell through.
        FallThrough = "fallthrough",
        /// A link, an end check or a current listing of a chain changed.
        ChainChanged = "chain.changed",
    }
}

impl EventType {
    /// The event types of document 1. Recording a milestone sends them.
    pub const OF_MILESTONES: [Self; 2] = [Self::MilestoneUpdated, Self::FallThrough];

    /// Whether only participants that may query chains receive events of this type (S-39).
    pub const fn needs_chain_client(self) -> bool {
        match self {
            Self::MilestoneUpdated | Self::FallThrough => false,
            Self::ChainChanged => true,
        }
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

words! {
    /// The change that a `chain.changed` tells (S-39).
    pub enum ChainChange {
        /// A link was added.
        Linked = "linked",
        /// A link was removed.
        Unlinked = "unlinked",
        /// An end was checked.
        Checked = "checked",
        /// The check of an end was removed.
        Unchecked = "unchecked",
        /// Another listing of the property is current.
        Current = "current",
    }
}

words! {
    /// How far a subscription's watch reaches (S-39).
    pub enum Reach {
        /// The properties of the watch alone.
        Property = "property",
        /// All properties of the chains that the watched properties are in.
        Chain = "chain",
    }
}
