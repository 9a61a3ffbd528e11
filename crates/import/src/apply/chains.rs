//! Applies rows of links and of ends.

use chain::ends::End;
use chain::ids::{ListingId, PropertyId};
use chain::link::{self, Join, LinkRefusal, LinkRule};
use chain::state::{Chain, Link, MalformedChain};
use storage::StorageError;

use super::known::Written;
use super::{Applied, Batch, ChainEnd, EndCheckRow, LinkRow, Refusal, refuse};

impl Batch {
    pub(super) fn apply_link(&mut self, row: &LinkRow) -> Applied {
        let seller = &self.known.listing(&row.seller_branch, &row.seller)?.found;
        let buyer = &self.known.listing(&row.buyer_branch, &row.buyer)?.found;
        let wanted = Link {
            seller: seller.id,
            buyer: buyer.id,
        };
        let properties = [seller.details.property, buyer.details.property];
        let sellers = self.known.chain_of(wanted.seller)?;
        if sellers.links().contains(&wanted) {
            return Ok(false);
        }
        let rule = if row.split {
            LinkRule::Split
        } else {
            LinkRule::OneToOne
        };
        let buyers = self.known.chain_of(wanted.buyer)?;
        let join = link::join(sellers, buyers, wanted, rule)
            .map_err(|refusal| Refusal::Row(describe_refusal(&refusal, row, wanted)))?;
        self.put_chain(joined(sellers, buyers, &join))?;
        for (listing, property) in [wanted.seller, wanted.buyer].into_iter().zip(properties) {
            self.unsettled.note(listing, property);
            self.known.write_to(listing, Written::Touched);
        }
        if let Some((dissolved, moved)) = &join.dissolved {
            self.known.chains.remove(dissolved);
            for listing in moved {
                if let Some(known) = self.known.listings.get_mut(listing) {
                    known.found.chain = join.survivor;
                }
            }
        }
        self.pending.add_link(&join);
        Ok(true)
    }

    pub(super) fn apply_end_check(&mut self, row: &EndCheckRow) -> Applied {
        let listing = self.known.listing(&row.branch, &row.listing)?.found.id;
        let chain = self.known.chain_of(listing)?;
        let (end, ends, beyond) = match row.end {
            ChainEnd::Top => (End::Top, chain.tops(), "above"),
            ChainEnd::Bottom => (End::Bottom, chain.bottoms(), "below"),
        };
        if !ends.contains(&listing) {
            return refuse(format!(
                "listing `{}` is not the {end} of its chain: something is linked {beyond} it",
                row.listing
            ));
        }
        let member = chain.member(listing);
        if member.is_some_and(|member| end.is_marked(member)) {
            return Ok(false);
        }
        if member.is_some_and(|member| member.is_locked) {
            return refuse(format!(
                "listing `{}` is locked; unlock it first",
                row.listing
            ));
        }
        let (branch, id) = (member.map(|member| member.branch), chain.id());
        let mut members = chain.members().to_vec();
        for member in &mut members {
            if member.listing == listing {
                mark(member, end, true);
                member.checked_by[place(end)] = branch;
            }
        }
        self.put_chain(Chain::new(id, members, chain.links().to_vec()))?;
        self.pending.add_end_check(listing, end, branch);
        self.pending.touch(id);
        Ok(true)
    }

    /// Moves a listing that has no links to another property, and clears its checks.
    pub(super) fn move_member(
        &mut self,
        listing: ListingId,
        property: PropertyId,
    ) -> Result<(), StorageError> {
        for end in [End::Top, End::Bottom] {
            self.pending.clear_end_check(listing, end);
        }
        let Ok(chain) = self.known.chain_of(listing) else {
            // No row of this batch needs it.
            return Ok(());
        };
        let (id, links) = (chain.id(), chain.links().to_vec());
        let mut members = chain.members().to_vec();
        for member in &mut members {
            if member.listing == listing {
                member.property = property;
                mark(member, End::Top, false);
                mark(member, End::Bottom, false);
                member.checked_by = [None; 2];
            }
        }
        self.put_chain(Chain::new(id, members, links))
    }

    pub(super) fn put_chain(
        &mut self,
        chain: Result<Chain, MalformedChain>,
    ) -> Result<(), StorageError> {
        let chain = chain.map_err(|error| StorageError::Corrupt(error.to_string()))?;
        self.known.chains.insert(chain.id(), chain);
        Ok(())
    }
}

/// The chain after a link.
fn joined(sellers: &Chain, buyers: &Chain, join: &Join) -> Result<Chain, MalformedChain> {
    let mut members = sellers.members().to_vec();
    let mut links = sellers.links().to_vec();
    if sellers.id() != buyers.id() {
        members.extend(buyers.members());
        links.extend(buyers.links());
    }
    links.push(join.link);
    for (listing, end) in &join.cleared {
        for member in members
            .iter_mut()
            .filter(|member| member.listing == *listing)
        {
            mark(member, *end, false);
            member.checked_by[place(*end)] = None;
        }
    }
    Chain::new(join.survivor, members, links)
}

fn mark(member: &mut chain::state::Member, end: End, is_checked: bool) {
    match end {
        End::Top => member.top_checked = is_checked,
        End::Bottom => member.bottom_checked = is_checked,
    }
}

fn place(end: End) -> usize {
    match end {
        End::Top => 0,
        End::Bottom => 1,
    }
}

/// Names the two listings as the row does.
fn describe_refusal(refusal: &LinkRefusal, row: &LinkRow, link: Link) -> String {
    refusal.describe(|listing| {
        let (name, branch) = if listing == link.seller {
            (&row.seller, &row.seller_branch)
        } else {
            (&row.buyer, &row.buyer_branch)
        };
        named(name, branch)
    })
}

fn named(listing: &str, branch: &str) -> String {
    format!("`{listing}` of branch `{branch}`")
}
