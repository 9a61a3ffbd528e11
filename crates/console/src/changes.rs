//! Changes since the last visit: `/changes`.

use askama::Template;
use chain::ids::ChainId;
use jiff::civil::DateTime;

use crate::change::HistoryLine;
use crate::frame::{Frame, Section};

/// The changes in the viewer's chains.
#[derive(Debug, Clone, Template)]
#[template(path = "changes.html", whitespace = "minimize")]
pub struct ChangesPage {
    /// The frame.
    pub frame: Frame,
    /// Changes after this time are shown; `None`: the viewer has read nothing yet.
    pub since: Option<DateTime>,
    /// The chains with changes, the newest change first.
    pub chains: Vec<ChangedChain>,
    /// The id of the newest change, for "mark read".
    pub last: i64,
    /// Whether the page continues another one.
    pub is_later_page: bool,
    /// The parameter `before` of the next page.
    pub next: Option<i64>,
}

/// A chain with changes.
#[derive(Debug, Clone)]
pub struct ChangedChain {
    /// The chain.
    pub chain: ChainId,
    /// The name of the bottom home.
    pub bottom: String,
    /// The name of the top home.
    pub top: String,
    /// The number of homes.
    pub length: usize,
    /// Newest first.
    pub lines: Vec<HistoryLine>,
    /// Whether there are more.
    pub has_more: bool,
    /// The id of the chain's newest change, for "mark read".
    pub last: i64,
}
