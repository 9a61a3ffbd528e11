//! The author of a change.

use chain::consent::ForeignLinks;
use storage::current_listings::Settling;

use super::caller::BranchCaller;
use super::history::HistoryWriter;

/// The author and time of a change.
#[derive(Debug, Clone, Copy)]
pub struct Author<'a> {
    /// The proven caller.
    pub caller: &'a BranchCaller,
    /// Unix seconds.
    pub now: i64,
    /// The same moment in Unix milliseconds.
    pub now_milliseconds: i64,
    /// How a link to the listing of another branch comes about (S-47).
    pub foreign_links: ForeignLinks,
    /// The setting `offer_idle_days` in seconds (S-6).
    pub offer_idle_seconds: i64,
}

impl Author<'_> {
    /// Decides in the name of this author which listings are current.
    pub fn settling(&self) -> Settling<'_> {
        Settling {
            actor: self.caller.actor(),
            now: self.now,
            idle_seconds: self.offer_idle_seconds,
        }
    }

    /// Writes the history in the name of this author.
    pub fn history(&self) -> HistoryWriter<'_> {
        HistoryWriter {
            actor: self.caller.actor(),
            now: self.now,
        }
    }
}
