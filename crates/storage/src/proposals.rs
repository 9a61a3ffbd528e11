//! Proposed links (S-47). An expired proposal is as good as none.

use chain::ids::{BranchId, ListingId};
use chain::link::Side;
use chain::state::Link;

use crate::row::Row;
use crate::{Read, Result, StorageError, Write};

/// A query for [`read_proposal`], up to its condition.
macro_rules! select_proposal {
    () => {
        "select id, seller_listing_id, buyer_listing_id, side, branch_id, created_at, expires_at \
         from link_proposal "
    };
}

/// A link that one side has proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredProposal {
    /// Its id.
    pub id: i64,
    /// The link.
    pub link: Link,
    /// The side that proposed it.
    pub side: Side,
    /// The branch that proposed it.
    pub branch: BranchId,
    /// Unix seconds.
    pub created_at: i64,
    /// Unix seconds.
    pub expires_at: i64,
}

/// Finds the open proposal of a link.
pub fn find_proposal(read: &mut Read<'_>, link: Link, now: i64) -> Result<Option<StoredProposal>> {
    read.query_one(
        concat!(
            select_proposal!(),
            "where seller_listing_id = $1 and buyer_listing_id = $2 and expires_at > $3"
        ),
        &[link.seller.into(), link.buyer.into(), now.into()],
        read_proposal,
    )
}

/// The number of the open proposals of a listing, and a page of them, the oldest first.
pub fn list_proposals(
    read: &mut Read<'_>,
    listing: ListingId,
    now: i64,
    (limit, offset): (i64, i64),
) -> Result<(i64, Vec<StoredProposal>)> {
    let total = read.query_integer(
        "select count(*) from link_proposal \
         where (seller_listing_id = $1 or buyer_listing_id = $1) and expires_at > $2",
        &[listing.into(), now.into()],
    )?;
    let page = read.query(
        concat!(
            select_proposal!(),
            "where (seller_listing_id = $1 or buyer_listing_id = $1) and expires_at > $2 \
             order by id limit $3 offset $4"
        ),
        &[listing.into(), now.into(), limit.into(), offset.into()],
        read_proposal,
    )?;
    Ok((total, page))
}

/// The number of the open proposals of a listing, and the newest of them, the newest first.
pub fn list_newest_proposals(
    read: &mut Read<'_>,
    listing: ListingId,
    now: i64,
    limit: i64,
) -> Result<(i64, Vec<StoredProposal>)> {
    let (total, _none) = list_proposals(read, listing, now, (0, 0))?;
    let newest = read.query(
        concat!(
            select_proposal!(),
            "where (seller_listing_id = $1 or buyer_listing_id = $1) and expires_at > $2 \
             order by id desc limit $3"
        ),
        &[listing.into(), now.into(), limit.into()],
        read_proposal,
    )?;
    Ok((total, newest))
}

/// The number of the open proposals of a branch.
pub fn count_proposals(read: &mut Read<'_>, branch: BranchId, now: i64) -> Result<i64> {
    read.query_integer(
        "select count(*) from link_proposal where branch_id = $1 and expires_at > $2",
        &[branch.into(), now.into()],
    )
}

/// Inserts a proposal with another id. It takes the place of an expired one.
pub fn insert_proposal(write: &mut Write<'_>, new: &StoredProposal) -> Result<i64> {
    delete_proposal(write, new.link)?;
    write.insert(
        "insert into link_proposal (seller_listing_id, buyer_listing_id, side, branch_id, \
         created_at, expires_at) values ($1, $2, $3, $4, $5, $6) returning id",
        &[
            new.link.seller.into(),
            new.link.buyer.into(),
            match new.side {
                Side::Seller => 1_i64,
                Side::Buyer => 2,
            }
            .into(),
            new.branch.into(),
            new.created_at.into(),
            new.expires_at.into(),
        ],
    )
}

/// Deletes the proposal of a link, if there is one.
pub fn delete_proposal(write: &mut Write<'_>, link: Link) -> Result<()> {
    write.execute(
        "delete from link_proposal where seller_listing_id = $1 and buyer_listing_id = $2",
        &[link.seller.into(), link.buyer.into()],
    )?;
    Ok(())
}

/// Deletes all proposals of a withdrawn listing.
pub fn delete_proposals_of_listing(write: &mut Write<'_>, listing: ListingId) -> Result<()> {
    write.execute(
        "delete from link_proposal where seller_listing_id = $1 or buyer_listing_id = $1",
        &[listing.into()],
    )?;
    Ok(())
}

fn read_proposal(row: &Row<'_>) -> Result<StoredProposal> {
    Ok(StoredProposal {
        id: row.integer(0)?,
        link: Link {
            seller: ListingId(row.integer(1)?),
            buyer: ListingId(row.integer(2)?),
        },
        side: match row.integer(3)? {
            1 => Side::Seller,
            2 => Side::Buyer,
            side => return Err(StorageError::Corrupt(format!("side {side} of a proposal"))),
        },
        branch: BranchId(row.integer(4)?),
        created_at: row.integer(5)?,
        expires_at: row.integer(6)?,
    })
}
