//! Listings with their properties and branches, as document 2 shows them.

use chain::ids::{BranchId, ChainId, ListingId, PropertyId, Uprn};

use crate::properties::{Address, read_address, read_uprn};
use crate::row::Row;
use crate::{Read, Result};

/// A query for [`read_listing`], up to its condition.
macro_rules! select_listing {
    () => {
        "select l.id, l.property_id, p.uprn, l.branch_id, b.name, b.participant_id, l.chain_id, \
         l.external_id, l.price, l.tenure, l.transaction_type, l.seller_conveyancer, \
         l.buyer_conveyancer, l.is_locked, l.created_at, l.updated_at, l.deleted_at, \
         coalesce((select max(m.updated_at) from milestone m where m.listing_id = l.id), \
         l.created_at), p.line1, p.line2, p.line3, p.line4, p.post_town, p.postcode, \
         p.display_address, p.current_listing_id, l.offer_since, \
         (select count(*) from listing o where o.property_id = l.property_id \
         and o.offer_since is not null), p.verified \
         from listing l join property p on p.id = l.property_id \
         join branch b on b.id = l.branch_id "
    };
}

/// A listing with its property and its branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredListing {
    /// Its id.
    pub id: ListingId,
    /// The property for sale.
    pub property: PropertyId,
    /// The property's UPRN.
    pub uprn: Uprn,
    /// Its branch.
    pub branch: BranchId,
    /// The branch's name.
    pub branch_name: String,
    /// The branch's participant.
    pub participant_id: i64,
    /// Its chain.
    pub chain: ChainId,
    /// The branch's reference for it.
    pub external_id: Option<String>,
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
    /// Whether links, breaks and end checks are refused (S-53).
    pub is_locked: bool,
    /// The property's address.
    pub address: Address,
    /// Unix seconds.
    pub created_at: i64,
    /// Unix seconds.
    pub updated_at: i64,
    /// When it was deleted. Unix seconds.
    pub deleted_at: Option<i64>,
    /// Whether an import has confirmed the property's address.
    pub is_verified: bool,
    /// Its place among the listings of its property.
    pub standing: Standing,
    /// When its milestones last changed, or when the listing was created if it never had any. Unix
    /// seconds.
    pub status_changed_at: i64,
}

/// The place of a listing among the listings of its property (S-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Whether it is the current one.
    pub is_current: bool,
    /// Whether it is under offer.
    pub is_under_offer: bool,
    /// Whether two or more of them are under offer.
    pub is_contested: bool,
}

/// Finds a listing by its id, even a deleted one.
pub fn find_stored_listing(
    read: &mut Read<'_>,
    listing: ListingId,
) -> Result<Option<StoredListing>> {
    read.query_one(
        concat!(select_listing!(), "where l.id = $1"),
        &[listing.into()],
        read_listing,
    )
}

/// The listings of a chain that are not deleted, by id.
pub fn list_listings_of_chain(read: &mut Read<'_>, chain: ChainId) -> Result<Vec<StoredListing>> {
    read.query(
        concat!(
            select_listing!(),
            "where l.chain_id = $1 and l.deleted_at is null order by l.id"
        ),
        &[(&chain.to_string()).into()],
        read_listing,
    )
}

/// A page of a client's listings.
#[derive(Debug, Clone, Copy)]
pub struct ListingPage<'a> {
    /// The client. The listings of its branches are its own.
    pub client_id: &'a str,
    /// Leaves out listings that last changed before this time. Unix seconds.
    pub updated_since: Option<i64>,
    /// Leaves out listings with another reference.
    pub external_id: Option<&'a str>,
    /// The length of the page.
    pub limit: i64,
    /// Listings before the page.
    pub offset: i64,
}

/// The number of matching listings that are not deleted, and one page of them, by the time of their
/// last change and then by id. A client may have very many, so an inner select chooses the page.
pub fn list_listings_of_client(
    read: &mut Read<'_>,
    page: &ListingPage<'_>,
) -> Result<(i64, Vec<StoredListing>)> {
    let since = page.updated_since.unwrap_or(i64::MIN);
    match page.external_id {
        Some(external_id) => list_by_external_id(read, page, since, external_id),
        None => list_all_since(read, page, since),
    }
}

fn list_all_since(
    read: &mut Read<'_>,
    page: &ListingPage<'_>,
    since: i64,
) -> Result<(i64, Vec<StoredListing>)> {
    let total = read.query_integer(
        "select count(*) from client_branch cb join listing l on l.branch_id = cb.branch_id \
         where cb.client_id = $1 and l.updated_at >= $2 and l.deleted_at is null",
        &[page.client_id.into(), since.into()],
    )?;
    let listings = read.query(
        concat!(
            select_listing!(),
            "join (select x.id from client_branch cb join listing x on x.branch_id = cb.branch_id \
             where cb.client_id = $1 and x.updated_at >= $2 and x.deleted_at is null \
             order by x.updated_at, x.id limit $3 offset $4) page on page.id = l.id \
             order by l.updated_at, l.id"
        ),
        &[
            page.client_id.into(),
            since.into(),
            page.limit.into(),
            page.offset.into(),
        ],
        read_listing,
    )?;
    Ok((total, listings))
}

/// These statements are separate, because the two conditions need different indexes.
fn list_by_external_id(
    read: &mut Read<'_>,
    page: &ListingPage<'_>,
    since: i64,
    external_id: &str,
) -> Result<(i64, Vec<StoredListing>)> {
    let total = read.query_integer(
        "select count(*) from client_branch cb join listing l on l.branch_id = cb.branch_id \
         where cb.client_id = $1 and l.updated_at >= $2 and l.deleted_at is null \
         and l.external_id = $3",
        &[page.client_id.into(), since.into(), external_id.into()],
    )?;
    let listings = read.query(
        concat!(
            select_listing!(),
            "join (select x.id from client_branch cb join listing x on x.branch_id = cb.branch_id \
             where cb.client_id = $1 and x.updated_at >= $2 and x.deleted_at is null \
             and x.external_id = $3 order by x.updated_at, x.id limit $4 offset $5) page \
             on page.id = l.id order by l.updated_at, l.id"
        ),
        &[
            page.client_id.into(),
            since.into(),
            external_id.into(),
            page.limit.into(),
            page.offset.into(),
        ],
        read_listing,
    )?;
    Ok((total, listings))
}

fn read_listing(row: &Row<'_>) -> Result<StoredListing> {
    let id = row.integer(0)?;
    Ok(StoredListing {
        id: ListingId(id),
        property: PropertyId(row.integer(1)?),
        uprn: read_uprn(row, 2)?,
        branch: BranchId(row.integer(3)?),
        branch_name: row.text(4)?,
        participant_id: row.integer(5)?,
        chain: row.parsed(6)?,
        external_id: row.optional_text(7)?,
        price: row.integer(8)?,
        tenure: row.text(9)?,
        transaction_type: row.text(10)?,
        seller_conveyancer: row.text(11)?,
        buyer_conveyancer: row.text(12)?,
        is_locked: row.flag(13)?,
        created_at: row.integer(14)?,
        updated_at: row.integer(15)?,
        deleted_at: row.optional_integer(16)?,
        status_changed_at: row.integer(17)?,
        address: read_address(row, 18)?,
        is_verified: row.flag(28)?,
        standing: Standing {
            is_current: row.optional_integer(25)? == Some(id),
            is_under_offer: row.optional_integer(26)?.is_some(),
            is_contested: row.integer(27)? > 1,
        },
    })
}
