//! Stores the changes of a batch.

use chain::ends::End;
use chain::ids::{BranchId, ChainId, ListingId, PropertyId};
use chain::milestone::{MilestoneType, Origin};
use chain::state::Link;
use jiff::civil::Date;

use crate::end_checks::end_word;
use crate::engine::{EachRow, each_row, insert_each};
use crate::listings::ListingDetails;
use crate::properties::NewProperty;
use crate::row::Value;
use crate::{Result, Write, address_index, chain_holds, sealing};

const INSERT_PROPERTIES: EachRow = insert_each!(
    "property",
    ["$1" id bigint, "$2" uprn bigint, "$3" line1 text, "$4" line2 text, "$5" line3 text,
     "$6" line4 text, "$7" post_town text, "$8" postcode text, "$9" display_address text,
     "$10" address_key text, "$11" postcode_key text, "$12" verified bigint]
);
const CHANGE_PROPERTIES: EachRow = each_row!(
    "update property set line1 = given.l1, line2 = given.l2, line3 = given.l3, line4 = given.l4, \
     post_town = given.town, postcode = given.code, display_address = given.shown, \
     address_key = given.k1, postcode_key = given.k2, verified = given.confirmed from ",
    ["$1" which bigint, "$2" ignored bigint, "$3" l1 text, "$4" l2 text, "$5" l3 text, "$6" l4 text,
     "$7" town text, "$8" code text, "$9" shown text, "$10" k1 text, "$11" k2 text,
     "$12" confirmed bigint],
    " where property.id = given.which"
);
const DELETE_TOKENS: EachRow = each_row!(
    "delete from address_token where rowid in (select given.which from ",
    ["$1" which bigint],
    ")"
);
const INSERT_CHAINS: EachRow =
    insert_each!("chain", ["$1" id text, "$2" version bigint, "$3" changed_at bigint]);
const INSERT_UNSEALED: EachRow =
    insert_each!("unsealed", ["$1" chain_id text, "$2" version bigint]);
const MOVE_LISTINGS: EachRow = each_row!(
    "update listing set chain_id = given.survivor from ",
    ["$1" survivor text, "$2" dissolved text],
    " where listing.chain_id = given.dissolved"
);
const DELETE_CHAINS: EachRow = each_row!(
    "delete from chain where id in (select given.which from ",
    ["$1" which text],
    ")"
);
const INSERT_LISTINGS: EachRow = insert_each!(
    "listing",
    ["$1" id bigint, "$2" property_id bigint, "$3" branch_id bigint, "$4" external_id text,
     "$5" chain_id text, "$6" price bigint, "$7" tenure text, "$8" transaction_type text,
     "$9" seller_conveyancer text, "$10" buyer_conveyancer text, "$11" is_locked bigint,
     "$12" created_at bigint, "$13" updated_at bigint, "$14" was_linked bigint,
     "$15" offer_since bigint]
);
const CHANGE_LISTINGS: EachRow = each_row!(
    "update listing set property_id = given.property, price = given.cost, tenure = given.held, \
     transaction_type = given.kind, seller_conveyancer = given.sellers, \
     buyer_conveyancer = given.buyers, updated_at = given.at from ",
    ["$1" which bigint, "$2" property bigint, "$3" cost bigint, "$4" held text, "$5" kind text,
     "$6" sellers text, "$7" buyers text, "$8" at bigint],
    " where listing.id = given.which"
);
const TOUCH_LISTINGS: EachRow = each_row!(
    "update listing set updated_at = given.at from ",
    ["$1" which bigint, "$2" at bigint],
    " where listing.id = given.which and listing.updated_at < given.at"
);
const INSERT_LINKS: EachRow = insert_each!(
    "link",
    ["$1" buyer_listing_id bigint, "$2" seller_listing_id bigint, "$3" created_at bigint]
);
const MARK_LINKED: EachRow = each_row!(
    "update listing set was_linked = 1 where was_linked = 0 and id in (select given.which from ",
    ["$1" which bigint],
    ")"
);
const INSERT_END_CHECKS: EachRow = insert_each!(
    "end_check",
    ["$1" listing_id bigint, "$2" chain_end text, "$3" branch_id bigint, "$4" checked_at bigint]
);
const DELETE_END_CHECKS: EachRow = each_row!(
    "delete from end_check where (listing_id, chain_end) in \
     (select given.listing, given.which from ",
    ["$1" listing bigint, "$2" which text],
    ")"
);
const INSERT_MILESTONES: EachRow = insert_each!(
    "milestone",
    ["$1" listing_id bigint, "$2" type_id bigint, "$3" date text, "$4" origin bigint,
     "$5" excluded bigint, "$6" created_at bigint, "$7" updated_at bigint]
);
const CHANGE_MILESTONES: EachRow = each_row!(
    "update milestone set date = given.day, completed_at = null, origin = given.who, \
     updated_at = given.at, deleted_at = null from ",
    ["$1" listing bigint, "$2" kind bigint, "$3" day text, "$4" who bigint, "$5" at bigint],
    " where milestone.listing_id = given.listing and milestone.type_id = given.kind"
);

/// A listing to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewListing<'a> {
    /// Its reserved id.
    pub id: ListingId,
    /// Its branch.
    pub branch: BranchId,
    /// The branch's reference for it.
    pub external_id: &'a str,
    /// Its chain, which must exist.
    pub chain: ChainId,
    /// Its details.
    pub details: &'a ListingDetails,
    /// Unix seconds.
    pub created_at: i64,
    /// Unix seconds.
    pub updated_at: i64,
    /// Whether it is linked in the same batch.
    pub is_linked: bool,
    /// The time at which its offer began, if it is under offer. Unix seconds.
    pub offer_since: Option<i64>,
}

/// A milestone to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewMilestone {
    /// The listing.
    pub listing: ListingId,
    /// Its type in the catalogue.
    pub kind: &'static MilestoneType,
    /// The date in London (S-11).
    pub date: Date,
    /// Who reported it.
    pub origin: Origin,
}

/// Inserts properties with reserved ids, and their address tokens.
pub fn insert_properties(
    write: &mut Write<'_>,
    properties: &[(PropertyId, &NewProperty)],
) -> Result<()> {
    let rows: Vec<_> = properties.iter().map(property_row).collect();
    write.execute_each(INSERT_PROPERTIES, &rows)?;
    insert_tokens(write, properties)
}

/// Changes the addresses of properties. The caller began the changes of their chains.
pub fn change_properties(
    write: &mut Write<'_>,
    properties: &[(PropertyId, &NewProperty)],
) -> Result<()> {
    let rows: Vec<_> = properties.iter().map(property_row).collect();
    write.execute_each(CHANGE_PROPERTIES, &rows)?;
    let ids: Vec<_> = properties.iter().map(|(id, _)| [(*id).into()]).collect();
    write.execute_each(DELETE_TOKENS, &ids)?;
    insert_tokens(write, properties)
}

fn insert_tokens(write: &mut Write<'_>, properties: &[(PropertyId, &NewProperty)]) -> Result<()> {
    let addresses = properties.iter();
    let addresses =
        addresses.map(|(id, property)| (*id, property.address.known(), property.is_verified));
    address_index::insert_all_tokens(write, addresses)
}

fn property_row<'a>((id, property): &(PropertyId, &'a NewProperty)) -> [Value<'a>; 12] {
    let address = &property.address;
    [
        (*id).into(),
        property.uprn.value().into(),
        (&address.line1).into(),
        (&address.line2).into(),
        (&address.line3).into(),
        (&address.line4).into(),
        (&address.post_town).into(),
        (&address.postcode).into(),
        (&address.display_address).into(),
        (&property.address_key).into(),
        (&property.postcode_key).into(),
        property.is_verified.into(),
    ]
}

/// Inserts chains without listings. Their changes in this transaction have begun.
pub fn insert_chains(write: &mut Write<'_>, chains: &[ChainId], now: i64) -> Result<()> {
    let keys: Vec<_> = chains.iter().map(ToString::to_string).collect();
    let time = write.recording_time(now)?;
    let rows = keys.iter().map(|key| [key.into(), 1.into(), time.into()]);
    write.execute_each(INSERT_CHAINS, &rows.collect::<Vec<_>>())?;
    let rows = keys.iter().map(|key| [key.into(), 1.into()]);
    write.execute_each(INSERT_UNSEALED, &rows.collect::<Vec<_>>())?;
    for chain in chains {
        write.note_change(*chain);
    }
    Ok(())
}

/// Moves all listings of a chain into its survivor and deletes the chain, for each pair of a survivor
/// and a dissolved chain. The caller began the changes of all of them.
pub fn merge_chains(write: &mut Write<'_>, merged: &[(ChainId, ChainId)], now: i64) -> Result<()> {
    sealing::seal_dissolved(write, merged)?;
    let keys: Vec<_> = merged
        .iter()
        .map(|(survivor, dissolved)| [survivor.to_string(), dissolved.to_string()])
        .collect();
    chain_holds::note_merges(write, &keys, now)?;
    let rows = keys.iter().map(|[to, from]| [to.into(), from.into()]);
    write.execute_each(MOVE_LISTINGS, &rows.collect::<Vec<_>>())?;
    let dissolved: Vec<_> = keys.iter().map(|[_, from]| [from.into()]).collect();
    write.execute_each(DELETE_CHAINS, &dissolved)
}

/// Inserts listings with reserved ids.
pub fn insert_listings(write: &mut Write<'_>, listings: &[NewListing<'_>]) -> Result<()> {
    let chains: Vec<_> = listings.iter().map(|new| new.chain.to_string()).collect();
    let rows = listings.iter().zip(&chains);
    let rows: Vec<_> = rows
        .map(|(new, chain)| -> [Value<'_>; 15] {
            let details = new.details;
            [
                new.id.into(),
                details.property.into(),
                new.branch.into(),
                new.external_id.into(),
                chain.into(),
                details.price.into(),
                (&details.tenure).into(),
                (&details.transaction_type).into(),
                (&details.seller_conveyancer).into(),
                (&details.buyer_conveyancer).into(),
                0.into(),
                new.created_at.into(),
                new.updated_at.into(),
                new.is_linked.into(),
                new.offer_since.into(),
            ]
        })
        .collect();
    write.execute_each(INSERT_LISTINGS, &rows)
}

/// Changes the details of listings. The caller raises the versions of their chains.
pub fn change_listings(
    write: &mut Write<'_>,
    listings: &[(ListingId, &ListingDetails)],
    now: i64,
) -> Result<()> {
    let rows: Vec<_> = listings
        .iter()
        .map(|(id, details)| -> [Value<'_>; 8] {
            [
                (*id).into(),
                details.property.into(),
                details.price.into(),
                (&details.tenure).into(),
                (&details.transaction_type).into(),
                (&details.seller_conveyancer).into(),
                (&details.buyer_conveyancer).into(),
                now.into(),
            ]
        })
        .collect();
    write.execute_each(CHANGE_LISTINGS, &rows)
}

/// Sets the times of the last change of listings. They never move backwards.
pub fn touch_listings(write: &mut Write<'_>, listings: &[ListingId], now: i64) -> Result<()> {
    let rows = listings.iter().map(|id| [(*id).into(), now.into()]);
    write.execute_each(TOUCH_LISTINGS, &rows.collect::<Vec<_>>())
}

/// Inserts links. `earlier` are those of their listings that the store held before.
pub fn insert_links(
    write: &mut Write<'_>,
    links: &[Link],
    earlier: &[ListingId],
    now: i64,
) -> Result<()> {
    let rows = links.iter();
    let rows = rows.map(|link| [link.buyer.into(), link.seller.into(), now.into()]);
    write.execute_each(INSERT_LINKS, &rows.collect::<Vec<_>>())?;
    let earlier: Vec<_> = earlier.iter().map(|id| [(*id).into()]).collect();
    write.execute_each(MARK_LINKED, &earlier)
}

/// Deletes the end checks in `cleared`, and then inserts those in `made`, in the name of a branch.
pub fn change_end_checks(
    write: &mut Write<'_>,
    cleared: &[(ListingId, End)],
    made: &[(ListingId, End, Option<BranchId>)],
    now: i64,
) -> Result<()> {
    let rows = cleared.iter();
    let rows = rows.map(|(listing, end)| [(*listing).into(), end_word(*end).into()]);
    write.execute_each(DELETE_END_CHECKS, &rows.collect::<Vec<_>>())?;
    let rows = made.iter().map(|(listing, end, branch)| {
        let branch = branch.map(|branch| branch.0);
        [
            (*listing).into(),
            end_word(*end).into(),
            branch.into(),
            now.into(),
        ]
    });
    write.execute_each(INSERT_END_CHECKS, &rows.collect::<Vec<_>>())
}

/// Inserts milestones. The listings never had one of that type.
pub fn insert_milestones(
    write: &mut Write<'_>,
    milestones: &[NewMilestone],
    now: i64,
) -> Result<()> {
    let dates: Vec<_> = milestones.iter().map(|new| new.date.to_string()).collect();
    let rows = milestones.iter().zip(&dates);
    let rows: Vec<_> = rows
        .map(|(new, date)| -> [Value<'_>; 7] {
            [
                new.listing.into(),
                new.kind.id.into(),
                date.into(),
                new.origin.code().into(),
                0.into(),
                now.into(),
                now.into(),
            ]
        })
        .collect();
    write.execute_each(INSERT_MILESTONES, &rows)
}

/// Corrects the dates of milestones, and restores those that were withdrawn (S-38).
pub fn change_milestones(
    write: &mut Write<'_>,
    milestones: &[NewMilestone],
    now: i64,
) -> Result<()> {
    let dates: Vec<_> = milestones.iter().map(|new| new.date.to_string()).collect();
    let rows = milestones.iter().zip(&dates);
    let rows: Vec<_> = rows
        .map(|(new, date)| -> [Value<'_>; 5] {
            [
                new.listing.into(),
                new.kind.id.into(),
                date.into(),
                new.origin.code().into(),
                now.into(),
            ]
        })
        .collect();
    write.execute_each(CHANGE_MILESTONES, &rows)
}
