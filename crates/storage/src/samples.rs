//! Examples of what a store holds, for the sandbox's summary.

use chain::ids::{BranchId, ListingId, Uprn};

use crate::properties::read_uprn;
use crate::{Read, Result};

/// Real properties of a store to try a query with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Samples {
    /// In a chain of three or more, nowhere split.
    pub in_chain: Option<Uprn>,
    /// In a split chain.
    pub split: Option<Uprn>,
    /// Alone.
    pub alone: Option<Uprn>,
    /// An address that leads to the first of these.
    pub address: Option<String>,
}

/// Finds examples among the first listings of the store.
pub fn find_samples(read: &mut Read<'_>) -> Result<Samples> {
    let split = read.query_one(
        "select p.uprn from (select buyer_listing_id from link where buyer_listing_id <= 20000 \
         group by buyer_listing_id having count(*) > 1 \
         order by buyer_listing_id limit 1) k \
         join listing l on l.id = k.buyer_listing_id join property p on p.id = l.property_id",
        &[],
        |row| read_uprn(row, 0),
    )?;
    let in_chain = read.query_one(
        "select p.uprn, p.display_address from listing l join property p on p.id = l.property_id \
         where l.id in (select a.seller_listing_id from link a \
           join link b on b.buyer_listing_id = a.seller_listing_id \
           where a.seller_listing_id <= 20000) \
         and l.deleted_at is null \
         and not exists (select 1 from listing n where n.property_id = p.id and n.id > l.id) \
         and not exists (select 1 from listing m join link k on k.buyer_listing_id = m.id \
           where m.chain_id = l.chain_id group by k.buyer_listing_id having count(*) > 1) \
         and not exists (select 1 from listing m join link k on k.seller_listing_id = m.id \
           where m.chain_id = l.chain_id group by k.seller_listing_id having count(*) > 1) \
         order by l.id limit 1",
        &[],
        |row| Ok((read_uprn(row, 0)?, row.text(1)?)),
    )?;
    let alone = read.query_one(
        "select p.uprn from listing l join property p on p.id = l.property_id \
         where l.deleted_at is null \
         and not exists (select 1 from listing n where n.property_id = p.id and n.id <> l.id) \
         and not exists (select 1 from link k where k.buyer_listing_id = l.id) \
         and not exists (select 1 from link k where k.seller_listing_id = l.id) \
         order by l.id limit 1",
        &[],
        |row| read_uprn(row, 0),
    )?;
    let (in_chain, address) = in_chain.unzip();
    Ok(Samples {
        in_chain,
        split,
        alone,
        address,
    })
}

/// A listing of a branch, the first one.
pub fn find_listing_of_branch(read: &mut Read<'_>, branch: BranchId) -> Result<Option<ListingId>> {
    read.query_one(
        "select id from listing where branch_id = $1 and deleted_at is null order by id limit 1",
        &[branch.into()],
        |row| Ok(ListingId(row.integer(0)?)),
    )
}
