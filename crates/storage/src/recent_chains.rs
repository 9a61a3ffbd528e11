//! The chains of a branch by the time of their last change. Each list reads an index, and at most as many
//! rows as its caller asks for.

use chain::ids::{BranchId, ChainId, ListingId};

use crate::chase::sales_under_offer;
use crate::row::Row;
use crate::{Read, Result};

/// The place of a listing in the order of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// When the listing last changed. Unix seconds.
    pub changed_at: i64,
    /// The listing.
    pub listing: ListingId,
}

/// A listing of a branch with its chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedListing {
    /// Its place in the order of changes.
    pub place: Place,
    /// Its chain.
    pub chain: ChainId,
    /// The homes of the chain; empty if the listing was deleted.
    pub homes: Vec<HomeOfChain>,
}

/// A home of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeOfChain {
    /// The place of its listing in the order of changes.
    pub place: Place,
    /// The branch of the listing.
    pub branch: BranchId,
    /// The address in one line.
    pub display_address: String,
}

/// A chain, and the id of the newest line of history of a listing that is in it now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewestChange {
    /// The chain.
    pub chain: ChainId,
    /// The id; a later line has a higher one.
    pub history: i64,
}

/// At most `limit` listings of a branch, those that changed last first, and deleted ones among them.
/// `after` is the last one of the page before.
pub fn list_changed_listings(
    read: &mut Read<'_>,
    branch: BranchId,
    after: Option<Place>,
    limit: i64,
) -> Result<Vec<ChangedListing>> {
    let after = after.unwrap_or(Place {
        changed_at: i64::MAX,
        listing: ListingId(i64::MAX),
    });
    let rows = read.query(
        "select l.updated_at, l.id, l.chain_id, l.deleted_at, x.updated_at, x.id, x.branch_id, \
         p.display_address from (select updated_at, id, chain_id, deleted_at from listing \
         where branch_id = $1 and (updated_at, id) < ($2, $3) \
         order by updated_at desc, id desc limit $4) l \
         left join listing x on x.chain_id = l.chain_id and x.deleted_at is null \
         left join property p on p.id = x.property_id \
         order by l.updated_at desc, l.id desc, x.id",
        &[
            branch.into(),
            after.changed_at.into(),
            after.listing.into(),
            limit.into(),
        ],
        read_part,
    )?;
    let mut listings: Vec<ChangedListing> = Vec::new();
    for (listing, home) in rows {
        if listings
            .last()
            .is_none_or(|last| last.place != listing.place)
        {
            listings.push(listing);
        }
        if let Some(last) = listings.last_mut() {
            last.homes.extend(home);
        }
    }
    Ok(listings)
}

/// The chains of a branch's listings that changed since a time, and of its sales under offer, with the
/// newest line of history of each. It looks at the `limit` listings of both kinds that changed last.
pub fn list_newest_changes(
    read: &mut Read<'_>,
    branch: BranchId,
    since: i64,
    limit: i64,
) -> Result<Vec<NewestChange>> {
    read.query(
        concat!(
            "select w.chain_id, (select max((select max(h.id) from history h \
             where h.listing_id = x.id)) from listing x where x.chain_id = w.chain_id \
             and x.deleted_at is null) from (select r.chain_id as chain_id from \
             (select chain_id from listing where branch_id = $1 and updated_at >= $2 \
             order by updated_at desc, id desc limit $3) r union select o.chain_id from \
             (select u.chain_id ",
            sales_under_offer!("$4", "$5"),
            ") o) w"
        ),
        &[
            branch.into(),
            since.into(),
            limit.into(),
            branch.into(),
            limit.into(),
        ],
        |row| {
            Ok(NewestChange {
                chain: row.parsed(0)?,
                history: row.optional_integer(1)?.unwrap_or_default(),
            })
        },
    )
}

fn read_part(row: &Row<'_>) -> Result<(ChangedListing, Option<HomeOfChain>)> {
    let listing = ChangedListing {
        place: Place {
            changed_at: row.integer(0)?,
            listing: ListingId(row.integer(1)?),
        },
        chain: row.parsed(2)?,
        homes: Vec::new(),
    };
    let is_deleted = row.optional_integer(3)?.is_some();
    let home = match row.optional_integer(5)?.filter(|_| !is_deleted) {
        Some(id) => Some(HomeOfChain {
            place: Place {
                changed_at: row.integer(4)?,
                listing: ListingId(id),
            },
            branch: BranchId(row.integer(6)?),
            display_address: row.text(7)?,
        }),
        None => None,
    };
    Ok((listing, home))
}
