//! The two types of event that recording a milestone can emit (document 1, "Events").

/// The type of an event, as subscribers name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventType {
    /// `milestone.updated`: a milestone of document 1's catalogue other than Fall Through was
    /// recorded.
    MilestoneUpdated,
    /// `fallthrough`: the sale fell through.
    FallThrough,
}

impl EventType {
    /// Both event types, in the order of document 1.
    pub const ALL: [Self; 2] = [Self::MilestoneUpdated, Self::FallThrough];

    /// Document 1's spelling.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MilestoneUpdated => "milestone.updated",
            Self::FallThrough => "fallthrough",
        }
    }

    /// Reads document 1's spelling exactly; anything else is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }
}
