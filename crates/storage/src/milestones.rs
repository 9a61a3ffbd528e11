//! Milestones of listings.

use chain::ids::{ChainId, ListingId, PropertyId};
use chain::milestone::{MilestoneType, Origin};
use jiff::civil::Date;

use crate::milestone_columns::{read_optional_date, read_type};
use crate::row::Row;
use crate::{Read, Result, StorageError, Write, chains, listings};

/// A query for [`read_milestone`], up to its condition.
macro_rules! select_milestone {
    () => {
        "select m.id, m.listing_id, l.property_id, m.type_id, m.date, m.completed_at, m.origin, \
         m.excluded, m.created_at, m.updated_at, m.deleted_at \
         from milestone m join listing l on l.id = m.listing_id "
    };
}

/// A stored milestone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMilestone {
    /// Its id.
    pub id: i64,
    /// The listing.
    pub listing: ListingId,
    /// The listing's property.
    pub property: PropertyId,
    /// Its type in the catalogue.
    pub kind: &'static MilestoneType,
    /// The date in London (S-11); `None` after enquiries were reopened.
    pub date: Option<Date>,
    /// The exact time, if one was given. Unix seconds.
    pub completed_at: Option<i64>,
    /// Who reported it.
    pub origin: Origin,
    /// Whether this sale does not need it (S-51).
    pub excluded: bool,
    /// Unix seconds.
    pub created_at: i64,
    /// Unix seconds.
    pub updated_at: i64,
    /// When it was withdrawn. Unix seconds.
    pub deleted_at: Option<i64>,
}

/// Finds a listing's milestone of this type, even a withdrawn one.
pub fn find_milestone(
    read: &mut Read<'_>,
    listing: ListingId,
    type_id: i64,
) -> Result<Option<StoredMilestone>> {
    read.query_one(
        concat!(
            select_milestone!(),
            "where m.listing_id = $1 and m.type_id = $2"
        ),
        &[listing.into(), type_id.into()],
        read_milestone,
    )
}

/// The milestones of a listing that are not withdrawn, in the catalogue's order.
pub fn list_milestones_of_listing(
    read: &mut Read<'_>,
    listing: ListingId,
) -> Result<Vec<StoredMilestone>> {
    let mut milestones = read.query(
        concat!(
            select_milestone!(),
            "where m.listing_id = $1 and m.deleted_at is null"
        ),
        &[listing.into()],
        read_milestone,
    )?;
    milestones.sort_by_key(|milestone| milestone.kind.sequence);
    Ok(milestones)
}

/// The milestones of a chain's listings that are not withdrawn, by listing and then in the
/// catalogue's order.
pub fn list_milestones_of_chain(
    read: &mut Read<'_>,
    chain: ChainId,
) -> Result<Vec<StoredMilestone>> {
    let mut milestones = read.query(
        concat!(
            select_milestone!(),
            "where l.chain_id = $1 and l.deleted_at is null and m.deleted_at is null"
        ),
        &[(&chain.to_string()).into()],
        read_milestone,
    )?;
    milestones.sort_by_key(|milestone| (milestone.listing, milestone.kind.sequence));
    Ok(milestones)
}

/// The number of milestones of one type on a client's listings, and one page of them, by id. Withdrawn
/// milestones and deleted listings do not count.
pub fn list_milestones_of_type(
    read: &mut Read<'_>,
    client_id: &str,
    type_id: i64,
    limit: i64,
    offset: i64,
) -> Result<(i64, Vec<StoredMilestone>)> {
    let total = read.query_integer(
        "select count(*) from client_branch cb join listing l on l.branch_id = cb.branch_id \
         join milestone m on m.listing_id = l.id where cb.client_id = $1 and m.type_id = $2 \
         and l.deleted_at is null and m.deleted_at is null",
        &[client_id.into(), type_id.into()],
    )?;
    let milestones = read.query(
        concat!(
            select_milestone!(),
            "join client_branch cb on cb.branch_id = l.branch_id \
             where cb.client_id = $1 and m.type_id = $2 \
             and l.deleted_at is null and m.deleted_at is null \
             order by m.id limit $3 offset $4"
        ),
        &[
            client_id.into(),
            type_id.into(),
            limit.into(),
            offset.into(),
        ],
        read_milestone,
    )?;
    Ok((total, milestones))
}

/// The values of a milestone that a client may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MilestoneValues {
    /// The date in London (S-11); `None` when enquiries are reopened.
    pub date: Option<Date>,
    /// The exact time, if one was given. Unix seconds.
    pub completed_at: Option<i64>,
    /// Who reports it.
    pub origin: Origin,
    /// Whether this sale does not need it (S-51).
    pub excluded: bool,
}

/// Stores a listing's milestone with these values, even after it was withdrawn. Updates the listing's
/// time and its chain's version.
pub fn store_milestone(
    write: &mut Write<'_>,
    listing: ListingId,
    kind: &'static MilestoneType,
    values: &MilestoneValues,
    now: i64,
) -> Result<()> {
    chains::begin_change_of_listing(write, listing, now)?;
    let date = values.date.map(|date| date.to_string());
    write.execute(
        "insert into milestone (listing_id, type_id, date, completed_at, origin, excluded, \
         created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8) \
         on conflict (listing_id, type_id) do update set date = excluded.date, \
         completed_at = excluded.completed_at, origin = excluded.origin, \
         excluded = excluded.excluded, updated_at = excluded.updated_at, deleted_at = null",
        &[
            listing.into(),
            kind.id.into(),
            date.as_deref().into(),
            values.completed_at.into(),
            values.origin.code().into(),
            values.excluded.into(),
            now.into(),
            now.into(),
        ],
    )?;
    listings::touch_listing(write, listing, now)
}

/// Withdraws a milestone, if there is one. Then this updates the listing's time and its chain's
/// version.
pub fn withdraw_milestone(
    write: &mut Write<'_>,
    listing: ListingId,
    type_id: i64,
    now: i64,
) -> Result<()> {
    let stands = "select 1 from milestone where listing_id = $1 and type_id = $2 \
         and deleted_at is null";
    if !write.exists(stands, &[listing.into(), type_id.into()])? {
        return Ok(());
    }
    chains::begin_change_of_listing(write, listing, now)?;
    write.execute(
        "update milestone set deleted_at = $1, updated_at = $2 \
         where listing_id = $3 and type_id = $4",
        &[now.into(), now.into(), listing.into(), type_id.into()],
    )?;
    listings::touch_listing(write, listing, now)
}

/// A milestone to be recorded by an import.
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

/// Records a milestone, corrects its date, or restores it after it was withdrawn. `false` if the same
/// date is recorded already (S-38).
pub fn record_milestone(write: &mut Write<'_>, milestone: &NewMilestone, now: i64) -> Result<bool> {
    let date = milestone.date.to_string();
    let changed = write.execute(
        "insert into milestone (listing_id, type_id, date, origin, excluded, created_at, \
         updated_at) values ($1, $2, $3, $4, 0, $5, $6) \
         on conflict (listing_id, type_id) do update set date = excluded.date, \
         completed_at = null, origin = excluded.origin, updated_at = excluded.updated_at, \
         deleted_at = null \
         where milestone.date is null or milestone.date <> excluded.date \
         or milestone.deleted_at is not null",
        &[
            milestone.listing.into(),
            milestone.kind.id.into(),
            (&date).into(),
            milestone.origin.code().into(),
            now.into(),
            now.into(),
        ],
    )?;
    Ok(changed > 0)
}

fn read_milestone(row: &Row<'_>) -> Result<StoredMilestone> {
    let origin = row.integer(6)?;
    let origin = Origin::from_code(origin)
        .ok_or_else(|| StorageError::Corrupt(format!("{origin} is no origin")))?;
    Ok(StoredMilestone {
        id: row.integer(0)?,
        listing: ListingId(row.integer(1)?),
        property: PropertyId(row.integer(2)?),
        kind: read_type(row, 3)?,
        date: read_optional_date(row, 4)?,
        completed_at: row.optional_integer(5)?,
        origin,
        excluded: row.flag(7)?,
        created_at: row.integer(8)?,
        updated_at: row.integer(9)?,
        deleted_at: row.optional_integer(10)?,
    })
}
