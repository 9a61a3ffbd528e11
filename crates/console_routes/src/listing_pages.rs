//! Makes the page of one sale from the store.

use chain::ends::End;
use chain::ids::ListingId;
use chain::link::Side;
use chain::milestone::{CATALOGUE, MilestoneType, Origin};
use chain::permission;
use chain::state::{Chain, Link};
use console::chain_page::Confirmation;
use console::change::HistoryLine;
use console::frame::{Frame, Section, Stream};
use console::listing::{
    Details, EndState, Links, ListingPage, MilestoneEntry, MilestoneRecord, Neighbour, Note,
    Proposal,
};
use listing_management::caller::BranchCaller;
use listing_management::listings::find_own_listing;
use storage::chains;
use storage::end_checks::{self, EndCheck};
use storage::history::{self, HistoryEntry};
use storage::listings::{self, StoredListing};
use storage::milestones::{self, StoredMilestone};
use storage::notes::{self, StoredNote};
use storage::people::PERSON_ACTOR;
use storage::proposals::{self, StoredProposal};
use storage::{Read, state};
use web::problem::Problem;
use web::refusal::Refusal;

use super::Console;
use super::addresses::to_address;
use super::end_seen::EndsSeen;
use super::history_lines::{Names, to_lines};
use super::session::SignedIn;
use super::times::{day, moment};

/// Notes on the page.
const NOTES: i64 = 100;
/// The newest lines of a listing's history, for the page and for the authors of its milestones.
const HISTORY_LINES: i64 = 1000;
/// Lines of the history on the page.
const SHOWN_LINES: usize = 50;
/// The open proposals that a page shows, the newest.
const PROPOSALS: i64 = 100;

/// A sale with everything that its page shows.
#[derive(Debug)]
struct Loaded {
    listing: StoredListing,
    chain: Chain,
    /// The version of the chain.
    version: i64,
    neighbours: Vec<StoredListing>,
    ends_seen: EndsSeen,
    milestones: Vec<StoredMilestone>,
    checks: Vec<EndCheck>,
    /// The newest first.
    history: Vec<HistoryEntry>,
    /// The number of all open ones, and the newest of them.
    proposals: (i64, Vec<StoredProposal>),
    notes: Vec<StoredNote>,
}

impl Console {
    /// Makes the page of one of the viewer's own sales.
    pub(crate) async fn listing_page(
        &self,
        signed_in: &SignedIn,
        id: ListingId,
    ) -> Result<ListingPage, Problem> {
        let caller = signed_in.branch_caller()?;
        let now = self.clock.now_seconds();
        let viewer = signed_in.clone();
        let loading = self.storage.read(move |read| {
            // The form before this page may have taken its time.
            viewer.prove_again(read, now)?;
            load(read, &caller, id, now)
        });
        let loaded = loading.await?;
        Ok(self.show_loaded(signed_in, &loaded))
    }

    fn show_loaded(&self, signed_in: &SignedIn, loaded: &Loaded) -> ListingPage {
        let listing = &loaded.listing;
        let chain = &loaded.chain;
        let frame = Frame {
            stream: Some(Stream {
                chain: listing.chain,
                version: loaded.version,
                asked_for: None,
            }),
            ..self.frame(Some(signed_in), Section::Chains)
        };
        ListingPage {
            frame,
            listing: listing.id,
            uprn: listing.uprn,
            address: to_address(&listing.address),
            branch: listing.branch_name.clone(),
            chain: listing.chain,
            chain_length: chain.length(),
            today: self.today(),
            is_current: listing.standing.is_current,
            is_contested: listing.standing.is_contested,
            is_locked: listing.is_locked,
            details: to_details(listing),
            milestones: CATALOGUE.iter().map(|kind| loaded.entry(kind)).collect(),
            links: loaded.links(signed_in),
            top: chain
                .tops()
                .contains(&listing.id)
                .then(|| loaded.end(End::Top)),
            bottom: chain
                .bottoms()
                .contains(&listing.id)
                .then(|| loaded.end(End::Bottom)),
            history: loaded.history_lines(),
            notes: loaded.notes.iter().map(to_note).collect(),
            note_typed: String::new(),
        }
    }
}

fn load(
    read: &mut Read<'_>,
    caller: &BranchCaller,
    id: ListingId,
    now: i64,
) -> Result<Loaded, Problem> {
    let listing = find_own_listing(read, caller, id)?;
    let chain = state::find_chain(read, listing.chain)?;
    let chain = chain.ok_or_else(|| Refusal::unknown_chain(listing.chain))?;
    let mut neighbours = listings::list_listings_of_chain(read, listing.chain)?;
    let homes = neighbours.iter().map(|home| (home.id, home.property));
    let ends_seen = EndsSeen::new(&chain, homes)?;
    neighbours.retain(|other| {
        chain.onward_purchases(id).contains(&other.id) || chain.buyers_sales(id).contains(&other.id)
    });
    let (total, proposed) = proposals::list_newest_proposals(read, id, now, PROPOSALS)?;
    let history = history::list_newest(read, id, HISTORY_LINES)?;
    Ok(Loaded {
        version: chains::find_version(read, listing.chain)?.unwrap_or_default(),
        neighbours,
        ends_seen,
        milestones: milestones::list_milestones_of_listing(read, id)?,
        checks: end_checks::list_end_checks(read, listing.chain)?,
        history,
        proposals: (total, proposed),
        notes: notes::list_notes(read, id, NOTES)?,
        listing,
        chain,
    })
}

impl Loaded {
    /// The newest lines of the sale's history.
    fn history_lines(&self) -> Vec<HistoryLine> {
        let homes = std::iter::once(&self.listing).chain(&self.neighbours);
        let names: Names = homes
            .map(|home| (home.id, to_address(&home.address).name()))
            .collect();
        to_lines(self.history.iter().take(SHOWN_LINES), &names)
    }

    fn entry(&self, kind: &'static MilestoneType) -> MilestoneEntry {
        let stored = self.milestones.iter().find(|one| one.kind.id == kind.id);
        let stored = stored.filter(|one| one.deleted_at.is_none());
        MilestoneEntry {
            milestone: kind,
            record: stored.map(|stored| self.record(stored)),
            typed: None,
            is_newer: false,
        }
    }

    fn record(&self, stored: &StoredMilestone) -> MilestoneRecord {
        let begin = format!("{{\"key\":\"{}\"", stored.kind.key);
        let mut lines = self.history.iter();
        let line = lines
            .find(|line| line.action == "milestone.recorded" && line.detail.starts_with(&begin));
        let is_person = line.is_some_and(|line| line.actor.starts_with(PERSON_ACTOR));
        MilestoneRecord {
            date: stored.date,
            is_excluded: stored.excluded,
            by: line
                .and_then(|line| line.participant.clone())
                .unwrap_or_default(),
            is_by_machine: !is_person && stored.origin != Origin::Operator,
            at: moment(stored.updated_at),
        }
    }

    fn links(&self, signed_in: &SignedIn) -> Links {
        let id = self.listing.id;
        let named = |ids: &[ListingId], is_above: bool| {
            let found = ids.iter().filter_map(|id| {
                let mut all = self.neighbours.iter();
                all.find(|other| other.id == *id)
            });
            let to_neighbour = |other: &StoredListing| Neighbour {
                listing: other.id,
                name: to_address(&other.address).name(),
                may_open: permission::is_own(signed_in.branches(), other.branch),
                is_split: is_split(&self.chain, link_of(id, other.id, is_above)),
            };
            found.map(to_neighbour).collect()
        };
        let to_proposal = |proposal: &StoredProposal| {
            let is_above = proposal.link.buyer == id;
            Proposal {
                listing: if is_above {
                    proposal.link.seller
                } else {
                    proposal.link.buyer
                },
                is_above,
                is_own: (proposal.side == Side::Buyer) == is_above,
                until: day(proposal.expires_at),
            }
        };
        Links {
            above: named(self.chain.onward_purchases(id), true),
            below: named(self.chain.buyers_sales(id), false),
            proposed: self.proposals.1.iter().map(to_proposal).collect(),
            older_proposals: (self.proposals.0 - PROPOSALS).max(0).unsigned_abs(),
            typed: String::new(),
            typed_below: false,
        }
    }

    fn end(&self, end: End) -> EndState {
        let id = self.listing.id;
        let mut checks = self.checks.iter();
        let check = checks.find(|check| check.listing == id && check.is_top == (end == End::Top));
        EndState {
            is_checked: match end {
                End::Top => self.chain.is_top_closed(id),
                End::Bottom => self.chain.is_bottom_closed(id),
            },
            seen: self.ends_seen.at(end).to_owned(),
            confirmed: check.map(|check| Confirmation {
                on: day(check.checked_at),
                by: check.participant.clone().unwrap_or_default(),
            }),
        }
    }
}

/// The link between a sale and another one above or below it. The seller of the lower home buys the upper
/// one.
pub(crate) fn link_of(listing: ListingId, other: ListingId, is_above: bool) -> Link {
    let (seller, buyer) = if is_above {
        (other, listing)
    } else {
        (listing, other)
    };
    Link { seller, buyer }
}

/// Whether one of the two homes of a link has another link on the same side. Nobody but the operator makes
/// such a link (S-46).
pub(crate) fn is_split(chain: &Chain, link: Link) -> bool {
    chain.onward_purchases(link.buyer).len() > 1 || chain.buyers_sales(link.seller).len() > 1
}

fn to_note(note: &StoredNote) -> Note {
    Note {
        at: moment(note.created_at),
        by: note.author.clone(),
        text: note.content.clone(),
    }
}

/// The details of a stored sale as its page shows them.
pub(crate) fn to_details(listing: &StoredListing) -> Details {
    let types = listing.transaction_type.split_whitespace();
    let (price, reference) = (listing.price.to_string(), listing.external_id.as_deref());
    let seen = form_urlencoded::Serializer::new(String::new())
        .append_pair("price", &price)
        .append_pair("tenure", &listing.tenure)
        .append_pair("types", &listing.transaction_type)
        .append_pair("seller", &listing.seller_conveyancer)
        .append_pair("buyer", &listing.buyer_conveyancer)
        .append_pair("reference", reference.unwrap_or_default())
        .append_pair("locked", if listing.is_locked { "1" } else { "" })
        .finish();
    Details {
        seen,
        is_newer: false,
        price: listing.price.to_string(),
        tenure: listing.tenure.clone(),
        transaction_types: types.map(str::to_owned).collect(),
        seller_conveyancer: listing.seller_conveyancer.clone(),
        buyer_conveyancer: listing.buyer_conveyancer.clone(),
        external_id: listing.external_id.clone().unwrap_or_default(),
        is_locked: listing.is_locked,
    }
}
