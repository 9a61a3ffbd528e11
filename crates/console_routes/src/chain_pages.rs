//! Makes the page of a chain from the store.

mod homes;
mod viewable;

pub(crate) use self::homes::name_homes;
pub(crate) use self::viewable::find_viewable;
use std::sync::Arc;

use chain::ends::End;
use chain::ids::{BranchId, ChainId, Uprn};
use chain::london::date_in_london;
use chain::permission;
use chain_queries::answer::Signed;
use console::chain_page::{
    Audience, Cap, ChainPage, Confirmation, History, Proof, ShareLink, Sharing, SinceVisit,
};
use console::frame::{Frame, Section, Stream};
use listing_management::ListingManagement;
use listing_management::assessments::{Assessed, assess_chain};
use storage::address_search::{self, CurrentListing};
use storage::end_checks::{self, EndCheck};
use storage::history::{self, HistoryEntry, NewestLines};
use storage::milestones::{self, StoredMilestone};
use storage::seen::{self, Seen};
use storage::shares::{self, StoredShare};
use storage::state::{self, ChainState};
use storage::{Read, StorageError, Write};
use web::problem::Problem;

use self::viewable::shown_version;
use super::Console;
use super::end_seen::EndsSeen;
use super::history_lines::{Names, to_lines};
use super::holds::{forecast, hold};
use super::session::SignedIn;
use super::times::{day, moment, read_moment};

/// Lines of history on the page of a chain.
const HISTORY_LINES: i64 = 20;
/// Changes since the last visit on the page of a chain.
const SINCE_LINES: i64 = 10;

/// Who looks at a chain.
#[derive(Debug, Clone)]
pub enum Viewing {
    /// A progressor with a sale in the chain.
    Progressor(SignedIn),
    /// A lender or conveyancer who asked for this property.
    Reader(SignedIn, Uprn),
    /// Somebody with a share link of this property's chain, which ends at this Unix time.
    Holder {
        /// The secret of the link.
        token: String,
        /// The property.
        uprn: Uprn,
        /// When the link ends.
        expires_at: i64,
    },
}

/// Everything that the page shows, as the store had it at one moment.
#[derive(Debug)]
pub struct Loaded {
    /// The chain with document 1's facts.
    pub state: ChainState,
    /// The current listing through which document 1 answers with this chain.
    pub current: Option<CurrentListing>,
    ends_seen: EndsSeen,
    checks: Vec<EndCheck>,
    milestones: Vec<StoredMilestone>,
    seen: Option<Seen>,
    since: Vec<HistoryEntry>,
    history: NewestLines,
    shares: Vec<StoredShare>,
    assessed: Option<Assessed>,
}

impl Viewing {
    /// The viewer's session.
    pub(crate) fn signed_in(&self) -> Option<&SignedIn> {
        match self {
            Self::Progressor(signed_in) | Self::Reader(signed_in, _) => Some(signed_in),
            Self::Holder { .. } => None,
        }
    }

    /// The branches of a progressor.
    fn branches(&self) -> &[BranchId] {
        self.signed_in().map_or(&[], SignedIn::branches)
    }

    fn is_progressor(&self) -> bool {
        matches!(self, Self::Progressor(_))
    }

    fn audience(&self) -> Audience {
        match self {
            Self::Progressor(_) => Audience::Progressor,
            Self::Reader(_, uprn) => Audience::Reader { uprn: *uprn },
            Self::Holder {
                token, expires_at, ..
            } => Audience::Holder {
                token: token.clone(),
                until: moment(*expires_at),
            },
        }
    }

    /// The stream of news for the page. The holder of a share link has no session, and so no stream.
    fn stream(&self, state: &ChainState) -> Option<Stream> {
        let asked_for = match self {
            Self::Progressor(_) => None,
            Self::Reader(_, uprn) => Some(*uprn),
            Self::Holder { .. } => return None,
        };
        Some(Stream {
            chain: state.chain.id(),
            version: shown_version(self, state),
            asked_for,
        })
    }

    /// Whether this viewer may see the chain. Other chains do not exist for the viewer.
    fn may_see(&self, state: &ChainState, current: Option<&CurrentListing>) -> bool {
        match self {
            Self::Progressor(signed_in) => {
                permission::may_use_chain(signed_in.branches(), &state.chain)
            }
            Self::Reader(_, uprn) | Self::Holder { uprn, .. } => {
                let shown = current.and_then(|current| {
                    let mut listings = state.listings.iter();
                    listings.find(|one| one.listing == current.listing)
                });
                shown.is_some_and(|listing| listing.uprn == *uprn)
            }
        }
    }
}

impl Console {
    /// Signs the chain of a page. `None` if nothing about it is signed, or if it changed since it was read.
    pub(crate) async fn sign_loaded(
        &self,
        loaded: &Loaded,
    ) -> Result<Option<Arc<Signed>>, Problem> {
        let Some(current) = &loaded.current else {
            return Ok(None);
        };
        let signed = self.queries.sign_chain(current).await?;
        let signed = signed.filter(|signed| signed.version == loaded.state.version);
        Ok(signed.map(|signed| signed.answer))
    }

    /// Loads a chain for a viewer. 404 if the viewer may not see it.
    pub async fn load_chain(&self, viewing: &Viewing, id: ChainId) -> Result<Loaded, Problem> {
        let viewing = viewing.clone();
        let now = self.clock.now_seconds();
        let management = Arc::clone(&self.management);
        self.storage
            .read(move |read| load(read, &management, &viewing, id, now))
            .await
    }

    /// Makes the page. `query` has the parameters `all` and `types`.
    pub fn chain_page(
        &self,
        viewing: &Viewing,
        loaded: &Loaded,
        answer: Option<&Signed>,
    ) -> ChainPage {
        let state = &loaded.state;
        let names = name_homes(state);
        let frame = Frame {
            stream: viewing.stream(state),
            ..self.frame(viewing.signed_in(), Section::Chains)
        };
        ChainPage {
            frame,
            audience: viewing.audience(),
            chain: state.chain.id(),
            today: self.today(),
            proof: answer.map(|answer| self.proof(answer)),
            layers: homes::draw(state, viewing.branches(), &loaded.milestones),
            top: loaded.cap(End::Top, viewing.branches()),
            bottom: loaded.cap(End::Bottom, viewing.branches()),
            hold: loaded
                .assessed
                .as_ref()
                .and_then(|assessed| hold(state, assessed)),
            forecast: loaded.assessed.as_ref().map(forecast),
            since: loaded.since_visit(&names),
            history: viewing.is_progressor().then(|| History {
                lines: to_lines(&loaded.history.entries, &names),
                has_more: loaded.history.next.is_some(),
            }),
            sharing: viewing.is_progressor().then(|| loaded.sharing()),
            shows_all_homes: false,
            shows_all_types: false,
        }
    }

    /// Notes that a progressor has seen everything that the page shows.
    pub async fn note_seen(&self, viewing: &Viewing, loaded: &Loaded) -> Result<(), StorageError> {
        let Viewing::Progressor(signed_in) = viewing else {
            return Ok(());
        };
        let newest = loaded.history.entries.first().map_or(0, |entry| entry.id);
        if loaded.seen.is_some_and(|seen| seen.history >= newest) {
            return Ok(());
        }
        let (person, chain) = (signed_in.person().id, loaded.state.chain.id());
        let seen = Seen {
            history: newest,
            at: self.clock.now_seconds(),
        };
        let note = move |write: &mut Write<'_>| seen::note_seen(write, person, chain, seen);
        self.storage.write(note).await
    }

    /// The time of a calendar file, in UTC (RFC 5545 section 3.3.5).
    pub(crate) fn calendar_stamp(&self) -> String {
        let now = jiff::Timestamp::from_second(self.clock.now_seconds());
        let now = now.unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        now.strftime("%Y%m%dT%H%M%SZ").to_string()
    }

    /// Today in London.
    pub fn today(&self) -> jiff::civil::Date {
        let now = self.clock.now_seconds();
        date_in_london(now).unwrap_or_default()
    }

    fn proof(&self, answer: &Signed) -> Proof {
        Proof {
            signed_at: read_moment(&answer.signed_at),
            kid: answer.kid.clone(),
            jwks_url: self.jwks_url.clone(),
            jwks_copy: "/jwks".to_owned(),
            is_logged: self.queries.state_log.file.is_some(),
        }
    }
}

const UNKNOWN: Problem = Problem::NotFound(
    "There is no such chain, or it is none of yours. A chain gets another address when homes are \
     linked: look for one of its homes.",
);

fn load(
    read: &mut Read<'_>,
    management: &ListingManagement,
    viewing: &Viewing,
    id: ChainId,
    now: i64,
) -> Result<Loaded, Problem> {
    if let Some(signed_in) = viewing.signed_in() {
        // The form before this page may have taken its time.
        signed_in.prove_again(read, now)?;
    }
    let state = state::find_chain_state(read, id)?.ok_or(UNKNOWN)?;
    let current = find_current(read, viewing, &state)?;
    if !viewing.may_see(&state, current.as_ref()) {
        return Err(UNKNOWN);
    }
    let Viewing::Progressor(signed_in) = viewing else {
        // Document 1 says that an end is closed, not who confirmed it or when.
        return Ok(Loaded {
            state,
            current,
            ends_seen: EndsSeen::default(),
            checks: Vec::new(),
            milestones: Vec::new(),
            seen: None,
            since: Vec::new(),
            history: NewestLines {
                entries: Vec::new(),
                next: None,
            },
            shares: Vec::new(),
            assessed: None,
        });
    };
    let person = signed_in.person().id;
    let newest = |read: &mut Read<'_>, after, limit| {
        history::list_newest_of_chain(read, id, person, [after, i64::MAX], limit)
    };
    let history = newest(read, 0, HISTORY_LINES)?;
    let seen = seen::find_seen(read, person, id)?;
    let since = match seen {
        Some(seen) => newest(read, seen.history, SINCE_LINES + 1)?.entries,
        None => Vec::new(),
    };
    let today = date_in_london(now).unwrap_or_default().into();
    let chain = state.chain.clone();
    let assessed = assess_chain(read, management, signed_in.branches(), chain, today)?;
    let homes = state.listings.iter();
    let homes = homes.map(|home| (home.listing, home.property));
    let mut links = Vec::new();
    for listing in own_listings(&state, signed_in.branches()) {
        links.extend(shares::list_shares(read, listing, now)?);
    }
    Ok(Loaded {
        ends_seen: EndsSeen::new(&state.chain, homes)?,
        milestones: milestones::list_milestones_of_chain(read, id)?,
        history,
        state,
        current,
        checks: end_checks::list_end_checks(read, id)?,
        seen,
        since,
        shares: links,
        assessed: Some(assessed),
    })
}

/// The current listing through which document 1 answers with this chain: of the property that was asked
/// for, else of the lowest home that has one.
fn find_current(
    read: &mut Read<'_>,
    viewing: &Viewing,
    state: &ChainState,
) -> Result<Option<CurrentListing>, StorageError> {
    for listing in &state.listings {
        let is_asked = match viewing {
            Viewing::Progressor(_) => true,
            Viewing::Reader(_, uprn) | Viewing::Holder { uprn, .. } => listing.uprn == *uprn,
        };
        if is_asked {
            let current = address_search::find_by_property(read, listing.property)?;
            let is_here = |current: &CurrentListing| current.listing == listing.listing;
            if let Some(current) = current.filter(is_here) {
                return Ok(Some(current));
            }
        }
    }
    Ok(None)
}

/// The viewer's listings in a chain, bottom to top.
pub(crate) fn own_listings<'s>(
    state: &'s ChainState,
    branches: &'s [BranchId],
) -> impl Iterator<Item = chain::ids::ListingId> + 's {
    let members = state.chain.members().iter();
    members
        .filter(|member| permission::is_own(branches, member.branch))
        .map(|member| member.listing)
}

impl Loaded {
    fn cap(&self, end: End, branches: &[BranchId]) -> Cap {
        let chain = &self.state.chain;
        let (ends, is_top) = match end {
            End::Top => (chain.tops(), true),
            End::Bottom => (chain.bottoms(), false),
        };
        let check = self
            .checks
            .iter()
            .find(|check| check.is_top == is_top && ends.contains(&check.listing));
        Cap {
            confirmed: check.map(|check| Confirmation {
                on: day(check.checked_at),
                by: check.participant.clone().unwrap_or_default(),
            }),
            check_by: own_listings(&self.state, branches).next(),
            seen: self.ends_seen.at(end).to_owned(),
        }
    }

    fn since_visit(&self, names: &Names) -> Option<SinceVisit> {
        let seen = self.seen?;
        let shown = usize::try_from(SINCE_LINES).unwrap_or(0);
        Some(SinceVisit {
            visited: day(seen.at),
            changes: to_lines(self.since.get(..shown).unwrap_or(&self.since), names),
            has_more: self.since.len() > shown,
            last: self.since.first().map_or(seen.history, |entry| entry.id),
        })
    }

    fn sharing(&self) -> Sharing {
        let to_link = |share: &StoredShare| ShareLink {
            id: share.id,
            made: day(share.created_at),
            until: moment(share.expires_at),
            opened: share.opened.unsigned_abs(),
        };
        Sharing {
            made: None,
            days: "14".to_owned(),
            links: self.shares.iter().map(to_link).collect(),
        }
    }
}
