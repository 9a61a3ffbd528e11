//! The homes of a chain in the layers in which a page draws them.

use chain::ids::{BranchId, ListingId, Uprn};
use chain::layers::Place;
use chain::listing::{Tenure, TransactionType};
use chain::permission;
use chain::progress::{Progress, Recorded};
use console::home::{Address, Home, Participants};
use storage::milestones::StoredMilestone;
use storage::state::{ChainState, ListingState};

use crate::history_lines::Names;

/// The homes by layer, top first. `milestones` are those that the viewer may see besides document 1's.
pub(super) fn draw(
    state: &ChainState,
    branches: &[BranchId],
    milestones: &[StoredMilestone],
) -> Vec<Vec<Home>> {
    let to_home = |place: &Place| {
        let mut listings = state.listings.iter();
        let listing = listings.find(|one| one.listing == place.listing)?;
        let member = state.chain.member(place.listing)?;
        let is_own = permission::is_own(branches, member.branch);
        let mut home = home(state, listing);
        home.column = place.column;
        home.is_own = is_own;
        home.may_open = is_own;
        if is_own {
            add_own(&mut home, milestones);
        }
        Some(home)
    };
    let layers = state.chain.layers();
    let layers = layers
        .iter()
        .map(|layer| layer.iter().filter_map(to_home).collect());
    layers.collect()
}

/// Adds the facts that only the home's own branch sees.
fn add_own(home: &mut Home, milestones: &[StoredMilestone]) {
    let of_home = milestones.iter().filter(|one| one.listing == home.listing);
    for stored in of_home.filter(|one| one.deleted_at.is_none()) {
        if stored.excluded {
            home.excluded.push(stored.kind);
        }
        if stored.kind.field.is_none() {
            home.unsigned.push(Recorded {
                milestone: stored.kind,
                date: stored.date,
            });
        }
    }
}

fn home(state: &ChainState, listing: &ListingState) -> Home {
    let chain = &state.chain;
    let id = listing.listing;
    let types = listing.transaction_type.split_whitespace();
    Home {
        listing: id,
        uprn: listing.uprn,
        address: Address {
            lines: [
                listing.address.line1.clone(),
                listing.address.line2.clone(),
                listing.address.line3.clone(),
                listing.address.line4.clone(),
            ],
            post_town: listing.address.post_town.clone(),
            postcode: listing.address.postcode.clone(),
        },
        may_open: false,
        is_own: false,
        column: 1,
        progress: Progress::fold(listing.milestones.iter().copied()),
        excluded: Vec::new(),
        unsigned: Vec::new(),
        participants: Participants {
            selling_agent: listing.selling_agent.clone(),
            seller_conveyancer: listing.seller_conveyancer.clone(),
            buyer_conveyancer: listing.buyer_conveyancer.clone(),
        },
        tenure: Tenure::parse(&listing.tenure),
        transaction_types: types.filter_map(TransactionType::parse).collect(),
        onward_purchase: uprns(state, chain.onward_purchases(id)),
        buyers_sale: uprns(state, chain.buyers_sales(id)),
        is_top_closed: chain.is_top_closed(id),
        is_bottom_closed: chain.is_bottom_closed(id),
    }
}

fn uprns(state: &ChainState, listings: &[ListingId]) -> Vec<Uprn> {
    let found = listings.iter().filter_map(|id| {
        let mut all = state.listings.iter();
        all.find(|other| other.listing == *id)
    });
    found.map(|other| other.uprn).collect()
}

/// The names of the homes for lists of changes.
pub(crate) fn name_homes(state: &ChainState) -> Names {
    let homes = state.listings.iter();
    homes
        .map(|listing| (listing.listing, home(state, listing).address.name()))
        .collect()
}
