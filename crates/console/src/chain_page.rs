//! The page of one chain: `/chains/{id}` and `/share/{token}`.

mod ladder;

use askama::Template;
use chain::ends::End;
use chain::ids::{ChainId, ListingId, Uprn};
use chain::milestone::MilestoneType;
use forecast::silence::Silence;
use jiff::civil::{Date, DateTime};

use crate::change::HistoryLine;
use crate::forecast::Forecast;
use crate::frame::{Frame, Section};
use crate::hold::Hold;
use crate::home::Home;

use self::ladder::Rung;

/// One chain.
///
/// `?all=1` unfolds a long ladder, `?types=28` shows all milestone types. The page links its `.json`
/// (document 1's envelope with one chain, queried by the UPRN of the bottom home), `.pack.json`, `.csv`, `.ics`
/// and `/history`. For a holder of a share link the same names follow `/share/{token}`.
#[derive(Debug, Clone, Template)]
#[template(path = "chain.html", whitespace = "minimize")]
pub struct ChainPage {
    /// The frame. A holder of a share link has no viewer.
    pub frame: Frame,
    /// Who reads the page.
    pub audience: Audience,
    /// The chain.
    pub chain: ChainId,
    /// Today in London.
    pub today: Date,
    /// The signature of the state shown; `None`: no sale of the chain is the current one of its home.
    pub proof: Option<Proof>,
    /// The homes by layer, top first. No layer is empty.
    pub layers: Vec<Vec<Home>>,
    /// The upper end.
    pub top: Cap,
    /// The lower end.
    pub bottom: Cap,
    /// The reason why it has not exchanged; `None` for readers and holders of a share link.
    pub hold: Option<Hold>,
    /// When exchange may come; `None` as above.
    pub forecast: Option<Forecast>,
    /// The changes since the last visit; `None` on the first visit and as above.
    pub since: Option<SinceVisit>,
    /// The newest lines of history, at most 20; `None` as above.
    pub history: Option<History>,
    /// Share links; `None` where the viewer may not share.
    pub sharing: Option<Sharing>,
    /// Whether the ladder shows all homes of a long chain (`?all=1`).
    pub shows_all_homes: bool,
    /// Whether the matrix shows all 28 milestone types (`?types=28`). Only for progressors.
    pub shows_all_types: bool,
}

/// Who reads the page of a chain.
#[derive(Debug, Clone)]
pub enum Audience {
    /// Holds a sale of the chain.
    Progressor,
    /// Sees document 1's facts.
    Reader {
        /// The home that the reader looked up.
        uprn: Uprn,
    },
    /// Holds a share link.
    Holder {
        /// The token in the address.
        token: String,
        /// When the link ends.
        until: DateTime,
    },
}

/// The signature of the state shown.
#[derive(Debug, Clone)]
pub struct Proof {
    /// `signedAt`, in London.
    pub signed_at: DateTime,
    /// `kid`
    pub kid: String,
    /// Where the key set is published.
    pub jwks_url: String,
    /// Path of the console's own copy of the key set.
    pub jwks_copy: String,
    /// Whether the log of states proves it later (S-62).
    pub is_logged: bool,
}

/// An end of the chain. Whether it is closed stands in the homes.
#[derive(Debug, Clone, Default)]
pub struct Cap {
    /// Who confirmed the end, if known; `None` for readers and holders of a share link.
    pub confirmed: Option<Confirmation>,
    /// The own listing through which the viewer may confirm the end.
    pub check_by: Option<ListingId>,
    /// The field `seen` of its form: the homes at the end.
    pub seen: String,
}

/// Who confirmed an end.
#[derive(Debug, Clone)]
pub struct Confirmation {
    /// The day.
    pub on: Date,
    /// The organisation.
    pub by: String,
}

/// Changes since the last visit.
#[derive(Debug, Clone)]
pub struct SinceVisit {
    /// The day of the last visit.
    pub visited: Date,
    /// The newest changes, newest first.
    pub changes: Vec<HistoryLine>,
    /// Whether there are more; `/changes` shows them.
    pub has_more: bool,
    /// The id of the newest change, for "mark read".
    pub last: i64,
}

/// The newest lines of history.
#[derive(Debug, Clone)]
pub struct History {
    /// Newest first.
    pub lines: Vec<HistoryLine>,
    /// Whether there are more, at `/chains/{id}/history`.
    pub has_more: bool,
}

/// The viewer's share links of the chain.
#[derive(Debug, Clone, Default)]
pub struct Sharing {
    /// The address of a link just made. It is shown once.
    pub made: Option<String>,
    /// The number of days that the viewer typed; field `share-days`.
    pub days: String,
    /// The viewer's links that have not ended.
    pub links: Vec<ShareLink>,
}

/// A share link.
#[derive(Debug, Clone)]
pub struct ShareLink {
    /// Its id, not its token.
    pub id: i64,
    /// When it was made.
    pub made: Date,
    /// When it ends.
    pub until: DateTime,
    /// How often it was opened.
    pub opened: u64,
}

/// `/chains/{id}/history`: all lines of a chain's history.
#[derive(Debug, Clone, Template)]
#[template(path = "history.html", whitespace = "minimize")]
pub struct HistoryPage {
    /// The frame.
    pub frame: Frame,
    /// The chain.
    pub chain: ChainId,
    /// Newest first.
    pub lines: Vec<HistoryLine>,
    /// The id of the last line, as `before` of the next page.
    pub next: Option<i64>,
}

impl ChainPage {
    /// The title and heading.
    fn title(&self) -> String {
        crate::chains::title(
            self.length(),
            &self.end_name(End::Bottom),
            &self.end_name(End::Top),
        )
    }

    /// The address of this chain in another form: `ending` follows the path, such as `.csv`, and `query`
    /// is empty or like `all=1`.
    fn address(&self, ending: &str, query: &str) -> String {
        let path = match &self.audience {
            Audience::Progressor | Audience::Reader { .. } => format!("/chains/{}", self.chain),
            Audience::Holder { token, .. } => format!("/share/{token}"),
        };
        let mut queries = Vec::new();
        if let Audience::Reader { uprn } = &self.audience {
            queries.push(format!("uprn={uprn}"));
        }
        queries.extend((!query.is_empty()).then(|| query.to_owned()));
        let mark = if queries.is_empty() { "" } else { "?" };
        format!("{path}{ending}{mark}{}", queries.join("&"))
    }

    /// Whether the viewer gets the evidence of the state shown. Holders of a share link get none.
    fn offers_evidence(&self) -> bool {
        let is_logged = self.proof.as_ref().is_some_and(|proof| proof.is_logged);
        is_logged && !matches!(self.audience, Audience::Holder { .. })
    }

    fn is_progressor(&self) -> bool {
        matches!(self.audience, Audience::Progressor)
    }

    /// The homes at an end, in the order of the ladder.
    fn end_homes(&self, end: End) -> Vec<&Home> {
        let is_end = |home: &&Home| match end {
            End::Top => home.onward_purchase.is_empty(),
            End::Bottom => home.buyers_sale.is_empty(),
        };
        self.homes().filter(is_end).collect()
    }

    fn end_name(&self, end: End) -> String {
        let homes = self.end_homes(end);
        let home = match end {
            End::Top => homes.first(),
            End::Bottom => homes.last(),
        };
        home.map(|home| home.name()).unwrap_or_default()
    }

    fn has_several(&self, end: End) -> bool {
        self.end_homes(end).len() > 1
    }

    fn is_closed(&self, end: End) -> bool {
        self.end_homes(end).iter().all(|home| home.is_closed(end))
    }

    /// The type at which a home holds the chain.
    fn step_of(&self, home: &Home) -> Option<&'static MilestoneType> {
        match &self.hold {
            Some(Hold::Sale(sale)) if sale.listing == home.listing => {
                Some(sale.open.step.milestone())
            }
            _ => None,
        }
    }
}

/// The id of the place of an end, on the pages of a chain and of a sale.
pub fn end_field(end: End) -> String {
    format!("end-{end}")
}

/// The member of document 1 that says whether an end is closed.
const fn end_path(end: End) -> &'static str {
    match end {
        End::Top => "isTopClosed",
        End::Bottom => "isBottomClosed",
    }
}
