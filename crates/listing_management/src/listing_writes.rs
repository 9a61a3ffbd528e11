//! Creates, changes and withdraws listings (S-52, S-53).

use chain::ids::{ChainId, ListingId, PropertyId};
use storage::current_listings::Settling;
use storage::listings::{self, ListingDetails, ListingOrigin, StoredListing};
use storage::{Write, branch, chains, end_checks};
use uuid::Uuid;
use web::problem::Problem;
use web::refusal::Refusal;
use web::segments::unknown_branch;

use super::author::Author;
use super::current;
use super::history::{HistoryWriter, ListingDetail, ListingInChain, WithdrawnDetail};
use super::links::{load_chain, remove_links_as_operator};
use super::listing_fields::{ListingChanges, NewListing};
use super::listings::find_own_listing;
use super::proposals;
use super::quotas::Allowance;
use super::sold_property;

/// A listing that was stored.
#[derive(Debug, Clone, Copy)]
pub struct Stored {
    /// Its id.
    pub listing: ListingId,
    /// Whether it is new.
    pub is_new: bool,
}

/// Creates a listing, or updates the branch's listing with the same external id.
pub fn store_listing(
    write: &mut Write<'_>,
    author: &Author<'_>,
    new: &NewListing,
    allowance: &Allowance,
) -> Result<Stored, Problem> {
    if !branch::branch_exists(write, new.branch)? {
        let unknown = unknown_branch(&new.branch.to_string());
        return Err(unknown.about("branch_id").into());
    }
    author.caller.check_branch(new.branch)?;
    let known = match &new.facts.external_id {
        Some(external_id) => listings::find_listing_by_external_id(write, new.branch, external_id)?,
        None => None,
    };
    let Some(known) = known else {
        return Ok(Stored {
            listing: create(write, author, new, allowance)?,
            is_new: true,
        });
    };
    if known.is_deleted {
        return Err(withdrawn(known.id).into());
    }
    let before = find_own_listing(write, author.caller, known.id)?;
    let property = sold_property::find_or_add(write, &new.place, Some(&before), allowance)?;
    if property != before.property && listings::names_a_sale(write, before.id)? {
        return Err(property_fixed(before.id).into());
    }
    if property != before.property {
        // The other branch would confirm a link to another home than the one proposed.
        proposals::withdraw_all(write, author.history(), before.id)?;
    }
    store_changes(write, author, &before, property, &new.facts)?;
    Ok(Stored {
        listing: known.id,
        is_new: false,
    })
}

/// Changes one of the caller's listings.
pub fn update_listing(
    write: &mut Write<'_>,
    author: &Author<'_>,
    id: ListingId,
    changes: &ListingChanges,
) -> Result<(), Problem> {
    let before = find_own_listing(write, author.caller, id)?;
    let is_named = changes.external_id.is_some() || changes.clears_external_id;
    if is_named && before.external_id != changes.external_id {
        return Err(reference_fixed().into());
    }
    store_changes(write, author, &before, before.property, changes)
}

/// Withdraws one of the caller's listings, which must not be linked.
pub fn withdraw_listing(
    write: &mut Write<'_>,
    author: &Author<'_>,
    id: ListingId,
) -> Result<(), Problem> {
    let listing = find_own_listing(write, author.caller, id)?;
    let chain = load_chain(write, listing.chain)?;
    if chain.length() > 1 {
        return Err(linked(id).into());
    }
    withdraw(write, &author.settling(), &listing)
}

/// Withdraws a listing for the operator, and breaks its links first. The history of both sides of each link keeps
/// the reason. Nothing happens to a withdrawn listing.
pub fn withdraw_listing_as_operator(
    write: &mut Write<'_>,
    settling: &Settling<'_>,
    id: ListingId,
    reason: &str,
) -> Result<(), Problem> {
    let standing = |read: &mut Write<'_>| {
        let found = listings::find_stored_listing(read, id)?;
        Ok::<_, Problem>(found.filter(|found| found.deleted_at.is_none()))
    };
    let Some(linked) = standing(write)? else {
        return Ok(());
    };
    remove_links_as_operator(write, settling, &linked, reason)?;
    // It may be in a chain of its own now.
    match standing(write)? {
        Some(listing) => withdraw(write, settling, &listing),
        None => Ok(()),
    }
}

fn withdraw(
    write: &mut Write<'_>,
    settling: &Settling<'_>,
    listing: &StoredListing,
) -> Result<(), Problem> {
    let Settling { actor, now, .. } = *settling;
    let history = HistoryWriter { actor, now };
    proposals::withdraw_all(write, history, listing.id)?;
    listings::delete_listing(write, listing.id, now)?;
    let detail = WithdrawnDetail::from(listing.id);
    let at = ListingInChain::from(listing);
    history.note(write, at, "listing.withdrawn", &detail)?;
    current::decide(write, settling, listing.id, false)?;
    Ok(())
}

/// The refusal of a withdrawn listing's external id.
pub(crate) fn withdrawn(listing: ListingId) -> Refusal {
    let detail = format!(
        "listing {listing} has this external_id and was withdrawn; take another external_id"
    );
    Refusal::conflict("listing_withdrawn", detail).about("external_id")
}

/// The refusal to change an external id.
pub(crate) fn reference_fixed() -> Refusal {
    let detail = "the external_id of a listing cannot be changed".to_owned();
    Refusal::invalid("value_invalid", "external_id", detail)
}

/// The refusal to move a listing to another property (S-56).
pub(crate) fn property_fixed(listing: ListingId) -> Refusal {
    let detail = format!(
        "listing {listing} has this external_id and was linked or has milestones, so it cannot move \
         to another property; take another external_id"
    );
    Refusal::conflict("property_fixed", detail).about("external_id")
}

/// The refusal to withdraw a linked listing.
pub(crate) fn linked(listing: ListingId) -> Refusal {
    let detail = format!("listing {listing} is linked in a chain; break its links first");
    Refusal::conflict("listing_linked", detail)
}

fn create(
    write: &mut Write<'_>,
    author: &Author<'_>,
    new: &NewListing,
    allowance: &Allowance,
) -> Result<ListingId, Problem> {
    allowance.add_listing(write)?;
    let property = sold_property::find_or_add(write, &new.place, None, allowance)?;
    let NewListing { facts, .. } = new;
    let details = ListingDetails {
        property,
        price: new.price,
        tenure: facts.tenure.clone().unwrap_or_default(),
        transaction_type: facts.transaction_type.clone().unwrap_or_default(),
        seller_conveyancer: facts.seller_conveyancer.clone().unwrap_or_default(),
        buyer_conveyancer: facts.buyer_conveyancer.clone().unwrap_or_default(),
    };
    let chain = ChainId(Uuid::new_v4());
    chains::insert_chain(write, chain, author.now)?;
    let origin = ListingOrigin {
        branch: new.branch,
        external_id: facts.external_id.as_deref(),
        chain,
        created_at: author.now,
    };
    let id = listings::insert_listing(write, &origin, &details)?;
    let is_locked = facts.is_locked.filter(|is_locked| *is_locked);
    if is_locked.is_some() {
        listings::set_locked(write, id, true, author.now)?;
    }
    let filled = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let detail = ListingDetail {
        price: Some(details.price),
        address_id: Some(property.0),
        external_id: facts.external_id.clone(),
        tenure: filled(&details.tenure),
        transaction_type: filled(&details.transaction_type),
        seller_conveyancer: filled(&details.seller_conveyancer),
        buyer_conveyancer: filled(&details.buyer_conveyancer),
        is_locked,
    };
    let at = ListingInChain { listing: id, chain };
    author
        .history()
        .note(write, at, "listing.created", &detail)?;
    current::decide(write, &author.settling(), id, true)?;
    Ok(id)
}

/// Stores the changed facts and writes them to the history, if there are any.
fn store_changes(
    write: &mut Write<'_>,
    author: &Author<'_>,
    before: &StoredListing,
    property: PropertyId,
    changes: &ListingChanges,
) -> Result<(), Problem> {
    let kept = |wish: &Option<String>, standing: &String| wish.as_ref().unwrap_or(standing).clone();
    let after = ListingDetails {
        property,
        price: changes.price.unwrap_or(before.price),
        tenure: kept(&changes.tenure, &before.tenure),
        transaction_type: kept(&changes.transaction_type, &before.transaction_type),
        seller_conveyancer: kept(&changes.seller_conveyancer, &before.seller_conveyancer),
        buyer_conveyancer: kept(&changes.buyer_conveyancer, &before.buyer_conveyancer),
    };
    let differs = |old: &String, new: &String| (old != new).then(|| new.clone());
    let is_locked = changes
        .is_locked
        .filter(|locked| *locked != before.is_locked);
    let detail = ListingDetail {
        price: (before.price != after.price).then_some(after.price),
        address_id: (before.property != property).then_some(property.0),
        external_id: None,
        tenure: differs(&before.tenure, &after.tenure),
        transaction_type: differs(&before.transaction_type, &after.transaction_type),
        seller_conveyancer: differs(&before.seller_conveyancer, &after.seller_conveyancer),
        buyer_conveyancer: differs(&before.buyer_conveyancer, &after.buyer_conveyancer),
        is_locked,
    };
    if detail == ListingDetail::default() {
        return Ok(());
    }
    listings::update_listing(write, before.id, &after, author.now)?;
    let is_moved = property != before.property;
    if is_moved {
        // They were about the chain of another home.
        end_checks::delete_end_checks_of_listing(write, before.id)?;
    }
    if let Some(is_locked) = is_locked {
        listings::set_locked(write, before.id, is_locked, author.now)?;
    }
    let at = ListingInChain::from(before);
    author
        .history()
        .note(write, at, "listing.updated", &detail)?;
    let settling = author.settling();
    current::decide(write, &settling, before.id, is_moved)?;
    if is_moved {
        current::decide_after_move(write, &settling, before.property, before.id)?;
    }
    Ok(())
}
