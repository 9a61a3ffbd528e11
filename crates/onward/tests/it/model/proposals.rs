//! Proposed links of the model (S-47).

use serde_json::{Value, json};

use super::rules::{Asker, Done, Outcome};
use super::state::Model;

/// How long a proposal is open.
pub(super) const PROPOSAL_SECONDS: i64 = 30 * 86_400;

/// A link that one branch proposed.
#[derive(Debug, Clone)]
pub(super) struct Proposal {
    pub(super) link: (i64, i64),
    is_by_seller: bool,
    created_at: i64,
    /// Given by the server; none until it was seen.
    pub(super) id: Option<i64>,
}

impl Model {
    /// Links two listings, or proposes that to the other branch. All other rules allow the link.
    pub(super) fn link_or_propose(&mut self, asker: &Asker, link: (i64, i64)) -> Outcome {
        let (seller, buyer) = link;
        let is_own = |id| asker.branches.contains(&self.listing(id).branch);
        let own = [is_own(seller), is_own(buyer)];
        let known = self.find_proposal(link);
        let is_confirmed =
            known.is_some_and(|known| own != [known.is_by_seller, !known.is_by_seller]);
        if !self.confirms_links || own == [true; 2] || is_confirmed {
            self.end_proposal(link);
            let events = self.link(asker, seller, buyer);
            return Outcome::Done(Done {
                events,
                ..Done::default()
            });
        }
        if known.is_none() {
            self.end_proposal(link);
            self.proposals.push(Proposal {
                link,
                is_by_seller: own[0],
                created_at: self.now,
                id: None,
            });
            self.note_proposal(asker, "link.proposed", link);
        }
        Outcome::Done(Done {
            proposed: Some(link),
            ..Done::default()
        })
    }

    /// The open proposal of a link.
    pub(super) fn find_proposal(&self, link: (i64, i64)) -> Option<&Proposal> {
        let mut open = self.open_proposals();
        open.find(|one| one.link == link)
    }

    pub(super) fn open_proposals(&self) -> impl Iterator<Item = &Proposal> {
        let now = self.now;
        let all = self.proposals.iter();
        all.filter(move |one| one.created_at + PROPOSAL_SECONDS > now)
    }

    pub(super) fn end_proposal(&mut self, link: (i64, i64)) {
        self.proposals.retain(|one| one.link != link);
    }

    pub(super) fn end_proposals_of(&mut self, asker: &Asker, listing: i64) {
        let names = |(seller, buyer)| seller == listing || buyer == listing;
        let open = self.open_proposals().map(|one| one.link);
        let ended: Vec<_> = open.filter(|link| names(*link)).collect();
        for link in ended {
            self.note_proposal(asker, "proposal.withdrawn", link);
        }
        self.proposals.retain(|one| !names(one.link));
    }

    pub(super) fn note_proposal(&mut self, asker: &Asker, action: &'static str, link: (i64, i64)) {
        for listing in [link.0, link.1] {
            self.note(asker, action, listing);
        }
    }

    /// The resources of the open proposals of a listing, the oldest first.
    pub(super) fn proposals_of(&self, listing: i64) -> Vec<Value> {
        let open = self.open_proposals();
        let own = open.filter(|one| one.link.0 == listing || one.link.1 == listing);
        own.map(Proposal::resource).collect()
    }
}

impl Proposal {
    pub(super) fn resource(&self) -> Value {
        json!({"id": self.id, "type": "link_proposal", "attributes": {
            "seller": self.link.0, "buyer": self.link.1,
            "proposed_by": if self.is_by_seller { "seller" } else { "buyer" },
            "created_at": self.created_at, "expires_at": self.created_at + PROPOSAL_SECONDS,
        }})
    }
}
