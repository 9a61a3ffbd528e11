//! The state of one chain, as the chain query shows it.

use chain::ids::{BranchId, ChainId, ListingId, PropertyId, Uprn};
use chain::progress::Recorded;
use chain::state::{Chain, Link, Member};

use crate::milestone_columns::{read_optional_date, read_type};
use crate::properties::{Address, read_address, read_uprn};
use crate::row::Row;
use crate::{Read, Result, StorageError};

/// A chain with everything that document 1 shows.
#[derive(Debug, Clone)]
pub struct ChainState {
    /// Its members and links.
    pub chain: Chain,
    /// Every change raises it.
    pub version: i64,
    /// One for each member of `chain`, in the same order: bottom to top (S-9).
    pub listings: Vec<ListingState>,
}

/// One sale in a chain.
#[derive(Debug, Clone)]
pub struct ListingState {
    /// Its id.
    pub listing: ListingId,
    /// The property for sale.
    pub property: PropertyId,
    /// The UPRN of the property.
    pub uprn: Uprn,
    /// The address of the property.
    pub address: Address,
    /// The tenure in document 1's words, empty if unknown.
    pub tenure: String,
    /// Document 1's words, separated by spaces.
    pub transaction_type: String,
    /// The branch's name.
    pub selling_agent: String,
    /// Organisation name, empty if unknown.
    pub seller_conveyancer: String,
    /// Organisation name, empty if unknown.
    pub buyer_conveyancer: String,
    /// Without withdrawn milestones.
    pub milestones: Vec<Recorded>,
}

/// Loads the chain of a listing. `None` if the listing was deleted.
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

/// Loads a chain. `None` if it does not exist.
pub fn find_chain_state(read: &mut Read<'_>, id: ChainId) -> Result<Option<ChainState>> {
    match find_present(read, id)? {
        Some((version, _)) => read_state(read, id, version),
        None => Ok(None),
    }
}

/// The present version of a chain, and when it was recorded in Unix seconds. `None` if the chain does not
/// exist.
pub(crate) fn find_present(read: &mut Read<'_>, chain: ChainId) -> Result<Option<(i64, i64)>> {
    read.query_one(
        "select version, changed_at from chain where id = $1",
        &[(&chain.to_string()).into()],
        |row| Ok((row.integer(0)?, row.integer(1)?)),
    )
}

/// Loads a chain with this version. `None` if it has no listings.
fn read_state(read: &mut Read<'_>, id: ChainId, version: i64) -> Result<Option<ChainState>> {
    let key = id.to_string();
    let rows = list_members(read, &key)?;
    if rows.is_empty() {
        return Ok(None);
    }
    let milestones = list_milestones(read, &key)?;
    let links = list_links(read, &key)?;
    assemble(id, version, rows, links, milestones)
}

/// Puts the rows of a chain together. `None` if it has no listings.
pub(crate) fn assemble(
    id: ChainId,
    version: i64,
    mut rows: Vec<(Member, ListingState)>,
    links: Vec<Link>,
    milestones: Vec<(ListingId, Recorded)>,
) -> Result<Option<ChainState>> {
    if rows.is_empty() {
        return Ok(None);
    }
    for (listing, recorded) in milestones {
        if let Some((_, state)) = rows.iter_mut().find(|(_, state)| state.listing == listing) {
            state.milestones.push(recorded);
        }
    }
    let (members, mut listings): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    let chain = new_chain(id, members, links)?;
    listings.sort_by_key(|state| {
        let mut members = chain.members().iter();
        members.position(|member| member.listing == state.listing)
    });
    Ok(Some(ChainState {
        chain,
        version,
        listings,
    }))
}

/// The columns of [`read_checked_member`], of a listing `l`.
macro_rules! member_columns {
    () => {
        "l.id, l.branch_id, l.is_locked, \
         (select count(*) from end_check e where e.listing_id = l.id and e.chain_end = 'top'), \
         (select count(*) from end_check e where e.listing_id = l.id and e.chain_end = 'bottom'), \
         (select e.branch_id from end_check e where e.listing_id = l.id and e.chain_end = 'top'), \
         (select e.branch_id from end_check e where e.listing_id = l.id and e.chain_end = 'bottom'), \
         l.property_id"
    };
}
pub(crate) use member_columns;

/// Loads the members and links of a chain, for decisions about them.
pub fn find_chain(read: &mut Read<'_>, id: ChainId) -> Result<Option<Chain>> {
    let members = read.query(
        concat!(
            "select ",
            member_columns!(),
            " from listing l where l.chain_id = $1 and l.deleted_at is null"
        ),
        &[(&id.to_string()).into()],
        read_checked_member,
    )?;
    if members.is_empty() {
        return Ok(None);
    }
    build_chain(read, id, members).map(Some)
}

/// Reads a member with the branches that checked it.
pub(crate) fn read_checked_member(row: &Row<'_>) -> Result<Member> {
    let branch = |column| Ok::<_, StorageError>(row.optional_integer(column)?.map(BranchId));
    Ok(Member {
        checked_by: [branch(5)?, branch(6)?],
        ..read_member(row, 7)?
    })
}

fn build_chain(read: &mut Read<'_>, id: ChainId, members: Vec<Member>) -> Result<Chain> {
    let links = list_links(read, &id.to_string())?;
    new_chain(id, members, links)
}

fn new_chain(id: ChainId, members: Vec<Member>, links: Vec<Link>) -> Result<Chain> {
    Chain::new(id, members, links)
        .map_err(|error| StorageError::Corrupt(format!("chain {id}: {error}")))
}

/// The columns of [`read_shown`], of a listing `l`, its property `p` and its branch `b`.
macro_rules! shown_columns {
    () => {
        "l.id, l.branch_id, l.is_locked, \
         (select count(*) from end_check e where e.listing_id = l.id and e.chain_end = 'top'), \
         (select count(*) from end_check e where e.listing_id = l.id and e.chain_end = 'bottom'), \
         p.id, p.uprn, p.line1, p.line2, p.line3, p.line4, p.post_town, p.postcode, \
         p.display_address, l.tenure, l.transaction_type, b.name, l.seller_conveyancer, \
         l.buyer_conveyancer"
    };
}
pub(crate) use shown_columns;

fn list_members(read: &mut Read<'_>, key: &str) -> Result<Vec<(Member, ListingState)>> {
    read.query(
        concat!(
            "select ",
            shown_columns!(),
            " from listing l join property p on p.id = l.property_id \
             join branch b on b.id = l.branch_id where l.chain_id = $1 and l.deleted_at is null"
        ),
        &[key.into()],
        read_shown,
    )
}

/// Reads a member with everything that its chain shows of it but milestones.
pub(crate) fn read_shown(row: &Row<'_>) -> Result<(Member, ListingState)> {
    let listing = ListingState {
        listing: ListingId(row.integer(0)?),
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
    Ok((read_member(row, 5)?, listing))
}

/// Reads a member without the branches that checked it. `property` is the column of its property.
fn read_member(row: &Row<'_>, property: usize) -> Result<Member> {
    Ok(Member {
        listing: ListingId(row.integer(0)?),
        property: PropertyId(row.integer(property)?),
        branch: BranchId(row.integer(1)?),
        is_locked: row.flag(2)?,
        top_checked: row.flag(3)?,
        bottom_checked: row.flag(4)?,
        checked_by: [None; 2],
    })
}

fn list_links(read: &mut Read<'_>, key: &str) -> Result<Vec<Link>> {
    // Both sides of a link are in the same chain, so its buyer side finds it.
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

/// The recorded milestones of a chain, without those that the sale does not need (S-51).
fn list_milestones(read: &mut Read<'_>, key: &str) -> Result<Vec<(ListingId, Recorded)>> {
    read.query(
        "select m.listing_id, m.type_id, m.date \
         from listing l join milestone m on m.listing_id = l.id \
         where l.chain_id = $1 and l.deleted_at is null and m.deleted_at is null and m.excluded = 0",
        &[key.into()],
        read_recorded,
    )
}

/// Reads a milestone from the columns `listing_id`, `type_id` and `date`.
pub(crate) fn read_recorded(row: &Row<'_>) -> Result<(ListingId, Recorded)> {
    let recorded = Recorded {
        milestone: read_type(row, 1)?,
        date: read_optional_date(row, 2)?,
    };
    Ok((ListingId(row.integer(0)?), recorded))
}
