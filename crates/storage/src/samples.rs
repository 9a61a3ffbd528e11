//! Sample properties for the sandbox's summary.

use chain::ids::{BranchId, ListingId, Uprn};

use crate::properties::read_uprn;
use crate::{Read, Result};

/// Properties of a store to query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Samples {
    /// In a chain of three or more listings without a split.
    pub in_chain: Option<Uprn>,
    /// In a split chain.
    pub split: Option<Uprn>,
    /// With one listing and no link.
    pub alone: Option<Uprn>,
    /// The address of `in_chain`.
    pub address: Option<String>,
}

/// Finds samples. Those in chains come from the first 20,000 listings.
pub fn find_samples(read: &mut Read<'_>) -> Result<Samples> {
    let (in_chain, address) = find_in_chain(read)?.unzip();
    Ok(Samples {
        in_chain,
        split: find_split(read)?,
        alone: find_alone(read)?,
        address,
    })
}

fn find_in_chain(read: &mut Read<'_>) -> Result<Option<(Uprn, String)>> {
    read.query_one(
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
    )
}

fn find_split(read: &mut Read<'_>) -> Result<Option<Uprn>> {
    read.query_one(
        "select p.uprn from (select buyer_listing_id from link where buyer_listing_id <= 20000 \
         group by buyer_listing_id having count(*) > 1 \
         order by buyer_listing_id limit 1) k \
         join listing l on l.id = k.buyer_listing_id join property p on p.id = l.property_id",
        &[],
        |row| read_uprn(row, 0),
    )
}

fn find_alone(read: &mut Read<'_>) -> Result<Option<Uprn>> {
    read.query_one(
        "select p.uprn from listing l join property p on p.id = l.property_id \
         where l.deleted_at is null \
         and not exists (select 1 from listing n where n.property_id = p.id and n.id <> l.id) \
         and not exists (select 1 from link k where k.buyer_listing_id = l.id) \
         and not exists (select 1 from link k where k.seller_listing_id = l.id) \
         order by l.id limit 1",
        &[],
        |row| read_uprn(row, 0),
    )
}

/// The first listing of a branch.
pub fn find_listing_of_branch(read: &mut Read<'_>, branch: BranchId) -> Result<Option<ListingId>> {
    read.query_one(
        "select id from listing where branch_id = $1 and deleted_at is null order by id limit 1",
        &[branch.into()],
        |row| Ok(ListingId(row.integer(0)?)),
    )
}
