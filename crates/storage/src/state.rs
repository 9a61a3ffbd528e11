//! The whole state of one chain, as the chain query shows it.

use chain::ids::{BranchId, ChainId, ListingId, PropertyId, Uprn};
use chain::progress::Recorded;
use chain::state::{Chain, Link, Member};

use crate::milestones::{read_optional_date, read_type};
use crate::properties::{Address, read_address, read_uprn};
use crate::row::Row;
use crate::{Read, Result, StorageError};

/// A chain with everything that document 1 shows of it.
#[derive(Debug, Clone)]
pub struct ChainState {
    /// Its structure.
    pub chain: Chain,
    /// Rises with every change.
    pub version: i64,
    /// One for each member of `chain`, in the same order, bottom to top (S-9).
    pub listings: Vec<ListingState>,
}

/// One sale in a chain.
#[derive(Debug, Clone)]
pub struct ListingState {
    /// The sale.
    pub listing: ListingId,
    /// What is sold.
    pub property: PropertyId,
    /// Its number.
    pub uprn: Uprn,
    /// Where it is.
    pub address: Address,
    /// Document 1's word, empty if unknown.
    pub tenure: String,
    /// Document 1's words, separated by one space.
    pub transaction_type: String,
    /// The branch's name.
    pub selling_agent: String,
    /// Organisation name, empty if unknown.
    pub seller_conveyancer: String,
    /// Organisation name, empty if unknown.
    pub buyer_conveyancer: String,
    /// What happened so far.
    pub milestones: Vec<Recorded>,
}

/// Loads the chain that a listing is in; none if it was withdrawn. One snapshot
/// holds both, so the listing is in the chain that comes back.
pub fn find_chain_state_of_listing(
    read: &mut Read<'_>,
    listing: ListingId,
) -> Result<Option<ChainState>> {
    let chain = read.query_one(
        "select chain_id from listing where id = $1 and deleted_at is null",
        &[listing.into()],
        |row| row.parsed(0),
    )?;
    match chain {
        Some(chain) => find_chain_state(read, chain),
        None => Ok(None),
    }
}

/// Loads a chain; none if it does not exist (any more).
pub fn find_chain_state(read: &mut Read<'_>, id: ChainId) -> Result<Option<ChainState>> {
    let key = id.to_string();
    let version = read.query_one(
        "select version from chain where id = $1",
        &[(&key).into()],
        |row| row.integer(0),
    )?;
    let Some(version) = version else {
        return Ok(None);
    };
    let mut rows = list_members(read, &key)?;
    if rows.is_empty() {
        return Ok(None);
    }
    let links = list_links(read, &key)?;
    for (listing, recorded) in list_milestones(read, &key)? {
        if let Some(row) = rows.iter_mut().find(|row| row.0.listing == listing) {
            row.1.milestones.push(recorded);
        }
    }
    let members = rows.iter().map(|row| row.0).collect();
    let chain = Chain::new(id, members, links)
        .map_err(|error| StorageError::Corrupt(format!("chain {id}: {error}")))?;
    let position = |listing| {
        let mut members = chain.members().iter();
        members.position(|member| member.listing == listing)
    };
    rows.sort_by_key(|row| position(row.0.listing));
    let listings = rows.into_iter().map(|row| row.1).collect();
    Ok(Some(ChainState {
        chain,
        version,
        listings,
    }))
}

/// Loads only the structure of a chain, to decide about its links and ends.
pub fn find_chain(read: &mut Read<'_>, id: ChainId) -> Result<Option<Chain>> {
    let key = id.to_string();
    let members = read.query(
        "select l.id, l.branch_id, l.is_locked, \
         (select count(*) from end_check e where e.listing_id = l.id and e.chain_end = 'top'), \
         (select count(*) from end_check e where e.listing_id = l.id and e.chain_end = 'bottom') \
         from listing l where l.chain_id = $1 and l.deleted_at is null",
        &[(&key).into()],
        read_member,
    )?;
    if members.is_empty() {
        return Ok(None);
    }
    let links = list_links(read, &key)?;
    let chain = Chain::new(id, members, links)
        .map_err(|error| StorageError::Corrupt(format!("chain {id}: {error}")))?;
    Ok(Some(chain))
}

fn list_members(read: &mut Read<'_>, key: &str) -> Result<Vec<(Member, ListingState)>> {
    read.query(
        "select l.id, l.branch_id, l.is_locked, \
         (select count(*) from end_check e where e.listing_id = l.id and e.chain_end = 'top'), \
         (select count(*) from end_check e where e.listing_id = l.id and e.chain_end = 'bottom'), \
         p.id, p.uprn, p.line1, p.line2, p.line3, p.line4, p.post_town, p.postcode, \
         p.display_address, l.tenure, l.transaction_type, b.name, l.seller_conveyancer, \
         l.buyer_conveyancer \
         from listing l join property p on p.id = l.property_id \
         join branch b on b.id = l.branch_id \
         where l.chain_id = $1 and l.deleted_at is null",
        &[key.into()],
        |row| {
            let member = read_member(row)?;
            let listing = ListingState {
                listing: member.listing,
                property: PropertyId(row.integer(5)?),
                uprn: read_uprn(row, 6)?,
                address: read_address(row, 7)?,
                tenure: row.text(14)?,
                transaction_type: row.text(15)?,
                selling_agent: row.text(16)?,
                seller_conveyancer: row.text(17)?,
                buyer_conveyancer: row.text(18)?,
                milestones: Vec::new(),
            };
            Ok((member, listing))
        },
    )
}

fn read_member(row: &Row<'_>) -> Result<Member> {
    Ok(Member {
        listing: ListingId(row.integer(0)?),
        branch: BranchId(row.integer(1)?),
        is_locked: row.flag(2)?,
        top_checked: row.flag(3)?,
        bottom_checked: row.flag(4)?,
    })
}

fn list_links(read: &mut Read<'_>, key: &str) -> Result<Vec<Link>> {
    // A link never leaves its chain, so its buyer side alone finds it.
    read.query(
        "select k.seller_listing_id, k.buyer_listing_id \
         from listing l join link k on k.buyer_listing_id = l.id where l.chain_id = $1",
        &[key.into()],
        |row| {
            Ok(Link {
                seller: ListingId(row.integer(0)?),
                buyer: ListingId(row.integer(1)?),
            })
        },
    )
}

fn list_milestones(read: &mut Read<'_>, key: &str) -> Result<Vec<(ListingId, Recorded)>> {
    read.query(
        "select m.listing_id, m.type_id, m.date \
         from listing l join milestone m on m.listing_id = l.id \
         where l.chain_id = $1 and l.deleted_at is null and m.deleted_at is null",
        &[key.into()],
        |row| {
            let recorded = Recorded {
                milestone: read_type(row, 1)?,
                date: read_optional_date(row, 2)?,
            };
            Ok((ListingId(row.integer(0)?), recorded))
        },
    )
}
