//! The types of event, and the words of subscriptions to them (document 1, "Events"; S-39).

use std::fmt;

/// The type of an event, as subscribers name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventType {
    /// `milestone.updated`: a milestone of document 1's catalogue other than Fall Through was
    /// recorded.
    MilestoneUpdated,
    /// `fallthrough`: the sale fell through.
    FallThrough,
    /// `chain.changed`: a link, an end check or a current listing of a chain changed.
    ChainChanged,
}

impl EventType {
    /// All event types, document 1's first.
    pub const ALL: [Self; 3] = [
        Self::MilestoneUpdated,
        Self::FallThrough,
        Self::ChainChanged,
    ];
    /// The event types of document 1. Recording a milestone sends them.
    pub const OF_MILESTONES: [Self; 2] = [Self::MilestoneUpdated, Self::FallThrough];

    /// The name of the type.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MilestoneUpdated => "milestone.updated",
            Self::FallThrough => "fallthrough",
            Self::ChainChanged => "chain.changed",
        }
    }

    /// Whether only participants that may query chains receive events of this type (S-39).
    pub const fn needs_chain_client(self) -> bool {
        match self {
            Self::MilestoneUpdated | Self::FallThrough => false,
            Self::ChainChanged => true,
        }
    }

    /// Reads the exact name of a type; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The change that a `chain.changed` tells (S-39).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainChange {
    /// A link was added.
    Linked,
    /// A link was removed.
    Unlinked,
    /// An end was checked.
    Checked,
    /// The check of an end was removed.
    Unchecked,
    /// Another listing of the property is current.
    Current,
}

impl ChainChange {
    /// All changes.
    pub const ALL: [Self; 5] = [
        Self::Linked,
        Self::Unlinked,
        Self::Checked,
        Self::Unchecked,
        Self::Current,
    ];

    /// The word in the event.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Linked => "linked",
            Self::Unlinked => "unlinked",
            Self::Checked => "checked",
            Self::Unchecked => "unchecked",
            Self::Current => "current",
        }
    }

    /// Reads the word of a change; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }
}

/// How far a subscription's watch reaches (S-39).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The properties of the watch alone.
    Property,
    /// All properties of the chains that the watched properties are in.
    Chain,
}

impl Reach {
    /// Both reaches.
    pub const ALL: [Self; 2] = [Self::Property, Self::Chain];

    /// The word in a request.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Property => "property",
            Self::Chain => "chain",
        }
    }

    /// Reads the word of a reach; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }
}
