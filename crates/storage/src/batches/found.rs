//! Finds what the rows of a batch name.

use std::collections::HashMap;

use chain::ids::{BranchId, ChainId, ListingId, PropertyId, Uprn};
use chain::milestone::MilestoneType;
use chain::state::{Chain, Link, Member};
use jiff::civil::Date;

use crate::branch::{Branch, read_branch};
use crate::engine::{EachRow, each_row};
use crate::listings::{FoundListing, read_found_listing};
use crate::milestone_columns::{read_optional_date, read_type};
use crate::properties::{StoredProperty, read_property, select_property};
use crate::state::{member_columns, read_checked_member};
use crate::{Read, Result, StorageError, Write};

const BRANCHES: EachRow = each_row!(
    "select b.id, b.reference, b.name, b.participant_id from ",
    ["$1" wanted text],
    " join branch b on b.reference = given.wanted"
);
const PROPERTIES: EachRow = each_row!(
    concat!(select_property!(), "join "),
    ["$1" wanted bigint],
    " on property.uprn = given.wanted"
);
const PLACEHOLDERS: EachRow = each_row!(
    concat!(select_property!(), "join "),
    ["$1" wanted text],
    " on property.postcode_key = given.wanted where property.verified = 0 \
     and exists (select 1 from listing l where l.property_id = property.id)"
);
const LISTINGS: EachRow = each_row!(
    "select l.id, l.chain_id, l.property_id, l.price, l.tenure, l.transaction_type, \
     l.seller_conveyancer, l.buyer_conveyancer, l.created_at, l.deleted_at, l.branch_id, \
     l.external_id from ",
    ["$1" branch bigint, "$2" wanted text],
    " join listing l on l.branch_id = given.branch and l.external_id = given.wanted"
);
const MILESTONES: EachRow = each_row!(
    "select m.listing_id, m.type_id, m.date, m.deleted_at from ",
    ["$1" listing bigint, "$2" kind bigint],
    " join milestone m on m.listing_id = given.listing and m.type_id = given.kind"
);
const MEMBERS: EachRow = each_row!(
    concat!("select ", member_columns!(), ", l.chain_id from "),
    ["$1" chain text],
    " join listing l on l.chain_id = given.chain where coalesce(l.deleted_at, -1) = -1"
);
const LINKS: EachRow = each_row!(
    "select l.chain_id, k.seller_listing_id, k.buyer_listing_id from ",
    ["$1" chain text],
    " join listing l on l.chain_id = given.chain join link k on k.buyer_listing_id = l.id"
);

const CHAINS_OF_PROPERTIES: EachRow = each_row!(
    "select l.chain_id from ",
    ["$1" which bigint],
    " join listing l on l.property_id = given.which"
);

/// A listing's branch and the branch's reference for it.
pub type ListingKey = (BranchId, String);

/// A stored milestone, as an import sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundMilestone {
    /// The listing.
    pub listing: ListingId,
    /// Its type in the catalogue.
    pub kind: &'static MilestoneType,
    /// The date in London; `None` after enquiries were reopened.
    pub date: Option<Date>,
    /// Whether it was withdrawn.
    pub is_withdrawn: bool,
}

/// Finds branches by the references that imports use.
pub fn find_branches(read: &mut Read<'_>, references: &[&str]) -> Result<Vec<Branch>> {
    let rows: Vec<_> = references.iter().map(|text| [(*text).into()]).collect();
    read.query_each(BRANCHES, &rows, read_branch)
}

/// Finds properties by their UPRNs.
pub fn find_properties(read: &mut Read<'_>, uprns: &[Uprn]) -> Result<Vec<StoredProperty>> {
    let rows: Vec<_> = uprns.iter().map(|uprn| [uprn.value().into()]).collect();
    read.query_each(PROPERTIES, &rows, read_property)
}

/// Finds the unverified properties of these postcodes that have a placeholder for a UPRN (S-12) and a listing,
/// by id.
pub fn find_placeholders(
    read: &mut Read<'_>,
    postcode_keys: &[&str],
) -> Result<Vec<StoredProperty>> {
    let rows: Vec<_> = postcode_keys.iter().map(|key| [(*key).into()]).collect();
    let mut found = read.query_each(PLACEHOLDERS, &rows, read_property)?;
    found.retain(|property| property.uprn.is_placeholder());
    found.sort_by_key(|property| property.id);
    Ok(found)
}

/// Whether two properties have listings in one chain.
pub fn share_a_chain(read: &mut Read<'_>, one: PropertyId, other: PropertyId) -> Result<bool> {
    read.exists(
        "select 1 from listing l join listing o on o.chain_id = l.chain_id \
         where l.property_id = $1 and o.property_id = $2 limit 1",
        &[one.into(), other.into()],
    )
}

/// Finds listings by their branches' references.
pub fn find_listings(
    read: &mut Read<'_>,
    keys: &[(BranchId, &str)],
) -> Result<Vec<(ListingKey, FoundListing)>> {
    let rows: Vec<_> = keys
        .iter()
        .map(|(branch, reference)| [(*branch).into(), (*reference).into()])
        .collect();
    read.query_each(LISTINGS, &rows, |row| {
        let key = (BranchId(row.integer(10)?), row.text(11)?);
        Ok((key, read_found_listing(row)?))
    })
}

/// Finds milestones of these listings and types, even withdrawn ones.
pub fn find_milestones(
    read: &mut Read<'_>,
    keys: &[(ListingId, &'static MilestoneType)],
) -> Result<Vec<FoundMilestone>> {
    let rows: Vec<_> = keys
        .iter()
        .map(|(listing, kind)| [(*listing).into(), kind.id.into()])
        .collect();
    read.query_each(MILESTONES, &rows, |row| {
        Ok(FoundMilestone {
            listing: ListingId(row.integer(0)?),
            kind: read_type(row, 1)?,
            date: read_optional_date(row, 2)?,
            is_withdrawn: row.optional_integer(3)?.is_some(),
        })
    })
}

/// Finds chains with their members and links. A chain without listings is missing.
pub fn find_chains(read: &mut Read<'_>, ids: &[ChainId]) -> Result<Vec<Chain>> {
    let keys: Vec<_> = ids.iter().map(ToString::to_string).collect();
    let rows: Vec<_> = keys.iter().map(|key| [key.into()]).collect();
    let mut members: HashMap<ChainId, Vec<Member>> = HashMap::new();
    read.query_each(MEMBERS, &rows, |row| {
        let of_chain = members.entry(row.parsed(8)?).or_default();
        of_chain.push(read_checked_member(row)?);
        Ok(())
    })?;
    let mut links: HashMap<ChainId, Vec<Link>> = HashMap::new();
    read.query_each(LINKS, &rows, |row| {
        let seller = ListingId(row.integer(1)?);
        let buyer = ListingId(row.integer(2)?);
        let of_chain = links.entry(row.parsed(0)?).or_default();
        of_chain.push(Link { seller, buyer });
        Ok(())
    })?;
    let chains = members.into_iter().map(|(id, members)| {
        let links = links.remove(&id).unwrap_or_default();
        Chain::new(id, members, links)
            .map_err(|error| StorageError::Corrupt(format!("chain {id}: {error}")))
    });
    chains.collect()
}

/// Finds the chains that show properties. A chain that shows several of them comes several times.
pub fn find_chains_of_properties(
    read: &mut Read<'_>,
    properties: &[PropertyId],
) -> Result<Vec<ChainId>> {
    let rows: Vec<_> = properties.iter().map(|id| [(*id).into()]).collect();
    read.query_each(CHAINS_OF_PROPERTIES, &rows, |row| row.parsed(0))
}

/// Ids for new properties, in rising order. This transaction must insert them.
pub fn reserve_properties(write: &mut Write<'_>, count: usize) -> Result<Vec<PropertyId>> {
    let ids = write.reserve_ids("property", count)?;
    Ok(ids.into_iter().map(PropertyId).collect())
}

/// Ids for new listings, in rising order. This transaction must insert them.
pub fn reserve_listings(write: &mut Write<'_>, count: usize) -> Result<Vec<ListingId>> {
    let ids = write.reserve_ids("listing", count)?;
    Ok(ids.into_iter().map(ListingId).collect())
}
