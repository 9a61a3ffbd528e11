//! The answer of the search box: `/search?q=`.

use askama::Template;
use chain::ids::Uprn;

use crate::frame::{Frame, Section};

/// The answer to `frame.search`. A certain match is a redirect instead of this page.
#[derive(Debug, Clone, Template)]
#[template(path = "search.html", whitespace = "minimize")]
pub struct SearchPage {
    /// The frame; its `search` is the text asked for.
    pub frame: Frame,
    /// The answer.
    pub answer: Answer,
}

/// The answer of a search.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Nothing was asked.
    Empty,
    /// Another site asked. A look-up is logged in the reader's name, so only the reader may begin it.
    AskedElsewhere,
    /// Several homes fit, the best first.
    Candidates {
        /// The homes.
        homes: Vec<Candidate>,
        /// Whether more homes fit.
        has_more: bool,
    },
    /// No home fits.
    Nothing {
        /// Why, if there is more to say, as a sentence.
        reason: Option<String>,
    },
}

/// A home that fits.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The whole address.
    pub address: String,
    /// The property.
    pub uprn: Uprn,
    /// Its current sale, as far as the viewer may know it.
    pub sale: CandidateSale,
}

/// The current sale of a home that fits.
#[derive(Debug, Clone)]
pub enum CandidateSale {
    /// It has none.
    None,
    /// The viewer has none: another branch may have one.
    NoneOfViewer,
    /// The viewer may open it.
    Open {
        /// The path of its chain.
        href: String,
        /// The number of homes in its chain.
        chain_length: usize,
    },
}
