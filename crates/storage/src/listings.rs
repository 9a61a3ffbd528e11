//! Listings: each is the sale of one property by one branch.

mod stored_listing;

use chain::ids::{BranchId, ChainId, ListingId, PropertyId};

use crate::row::Row;
use crate::{Read, Result, Write, chains};

pub use self::stored_listing::{
    ListingPage, Standing, StoredListing, find_stored_listing, list_listings_of_chain,
    list_listings_of_client,
};

/// The details of a listing that its branch may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingDetails {
    /// The property for sale.
    pub property: PropertyId,
    /// The price in pounds.
    pub price: i64,
    /// The tenure in document 1's words, empty if unknown.
    pub tenure: String,
    /// Document 1's words, separated by spaces.
    pub transaction_type: String,
    /// Organisation name, empty if unknown.
    pub seller_conveyancer: String,
    /// Organisation name, empty if unknown.
    pub buyer_conveyancer: String,
}

/// A listing found by its branch's reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundListing {
    /// Its id.
    pub id: ListingId,
    /// Its chain.
    pub chain: ChainId,
    /// Its current details.
    pub details: ListingDetails,
    /// Unix seconds.
    pub created_at: i64,
    /// Whether it was deleted.
    pub is_deleted: bool,
}

/// Finds a listing by its branch's reference.
pub fn find_listing_by_external_id(
    read: &mut Read<'_>,
    branch: BranchId,
    external_id: &str,
) -> Result<Option<FoundListing>> {
    read.query_one(
        "select id, chain_id, property_id, price, tenure, transaction_type, seller_conveyancer, \
         buyer_conveyancer, created_at, deleted_at \
         from listing where branch_id = $1 and external_id = $2",
        &[branch.into(), external_id.into()],
        read_found_listing,
    )
}

/// The values of a new listing that never change through its branch.
#[derive(Debug, Clone, Copy)]
pub struct ListingOrigin<'a> {
    /// Its branch.
    pub branch: BranchId,
    /// The branch's reference for it.
    pub external_id: Option<&'a str>,
    /// Its chain, which must exist.
    pub chain: ChainId,
    /// Unix seconds.
    pub created_at: i64,
}

/// Inserts a listing.
pub fn insert_listing(
    write: &mut Write<'_>,
    origin: &ListingOrigin<'_>,
    details: &ListingDetails,
) -> Result<ListingId> {
    let id = write.insert(
        "insert into listing (property_id, branch_id, external_id, chain_id, price, tenure, \
         transaction_type, seller_conveyancer, buyer_conveyancer, is_locked, created_at, \
         updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11) returning id",
        &[
            details.property.into(),
            origin.branch.into(),
            origin.external_id.into(),
            (&origin.chain.to_string()).into(),
            details.price.into(),
            (&details.tenure).into(),
            (&details.transaction_type).into(),
            (&details.seller_conveyancer).into(),
            (&details.buyer_conveyancer).into(),
            origin.created_at.into(),
            origin.created_at.into(),
        ],
    )?;
    Ok(ListingId(id))
}

/// Changes the details of a listing. Its chain gets a new version.
pub fn update_listing(
    write: &mut Write<'_>,
    listing: ListingId,
    details: &ListingDetails,
    now: i64,
) -> Result<()> {
    chains::begin_change_of_listing(write, listing, now)?;
    write.execute(
        "update listing set property_id = $1, price = $2, tenure = $3, transaction_type = $4, \
         seller_conveyancer = $5, buyer_conveyancer = $6, updated_at = $7 where id = $8",
        &[
            details.property.into(),
            details.price.into(),
            (&details.tenure).into(),
            (&details.transaction_type).into(),
            (&details.seller_conveyancer).into(),
            (&details.buyer_conveyancer).into(),
            now.into(),
            listing.into(),
        ],
    )?;
    Ok(())
}

/// Whether a listing is or was linked, or has a milestone besides Property Listed (S-56).
pub fn names_a_sale(read: &mut Read<'_>, listing: ListingId) -> Result<bool> {
    read.exists(
        "select 1 from listing l where l.id = $1 and (l.was_linked = 1 or exists (select 1 \
         from milestone m where m.listing_id = l.id and m.type_id <> 101 and m.deleted_at is null))",
        &[listing.into()],
    )
}

/// Marks a listing as deleted and raises its chain's version. Nothing happens to a deleted listing.
/// The caller makes sure that the listing has no links.
pub fn delete_listing(write: &mut Write<'_>, listing: ListingId, now: i64) -> Result<()> {
    let stands = "select 1 from listing where id = $1 and deleted_at is null";
    if !write.exists(stands, &[listing.into()])? {
        return Ok(());
    }
    chains::begin_change_of_listing(write, listing, now)?;
    write.execute(
        "update listing set deleted_at = $1 where id = $2",
        &[now.into(), listing.into()],
    )?;
    touch_listing(write, listing, now)
}

/// Locks or unlocks a listing (S-53). A change raises its chain's version.
pub fn set_locked(
    write: &mut Write<'_>,
    listing: ListingId,
    is_locked: bool,
    now: i64,
) -> Result<()> {
    let differs = "select 1 from listing where id = $1 and is_locked <> $2";
    if !write.exists(differs, &[listing.into(), is_locked.into()])? {
        return Ok(());
    }
    chains::begin_change_of_listing(write, listing, now)?;
    write.execute(
        "update listing set is_locked = $1 where id = $2",
        &[is_locked.into(), listing.into()],
    )?;
    touch_listing(write, listing, now)
}

/// Sets the time of a listing's last change. It never moves backwards.
pub fn touch_listing(write: &mut Write<'_>, listing: ListingId, now: i64) -> Result<()> {
    write.execute(
        "update listing set updated_at = $1 where id = $2 and updated_at < $3",
        &[now.into(), listing.into(), now.into()],
    )?;
    Ok(())
}

pub(crate) fn read_found_listing(row: &Row<'_>) -> Result<FoundListing> {
    Ok(FoundListing {
        id: ListingId(row.integer(0)?),
        chain: row.parsed(1)?,
        details: ListingDetails {
            property: PropertyId(row.integer(2)?),
            price: row.integer(3)?,
            tenure: row.text(4)?,
            transaction_type: row.text(5)?,
            seller_conveyancer: row.text(6)?,
            buyer_conveyancer: row.text(7)?,
        },
        created_at: row.integer(8)?,
        is_deleted: row.optional_integer(9)?.is_some(),
    })
}
