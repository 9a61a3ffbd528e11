//! Milestones: what happened to a sale, and when.

use chain::ids::{ChainId, ListingId, PropertyId};
use chain::milestone::{self, MilestoneType, Origin};
use jiff::civil::Date;

use crate::row::Row;
use crate::{Read, Result, StorageError, Write, chains, listings};

/// What [`read_milestone`] reads, up to the conditions.
macro_rules! select_milestone {
    () => {
        "select m.id, m.listing_id, l.property_id, m.type_id, m.date, m.completed_at, m.origin, \
         m.excluded, m.created_at, m.updated_at, m.deleted_at \
         from milestone m join listing l on l.id = m.listing_id "
    };
}

/// A milestone as the store holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMilestone {
    /// Its id.
    pub id: i64,
    /// The sale.
    pub listing: ListingId,
    /// What is sold.
    pub property: PropertyId,
    /// What happened.
    pub kind: &'static MilestoneType,
    /// The civil date in London (S-11); none after enquiries were reopened.
    pub date: Option<Date>,
    /// The exact time, if one was given, Unix seconds.
    pub completed_at: Option<i64>,
    /// Who said so.
    pub origin: Origin,
    /// Not needed for this sale (S-51).
    pub excluded: bool,
    /// Unix seconds.
    pub created_at: i64,
    /// Unix seconds.
    pub updated_at: i64,
    /// When it was withdrawn, if it was, Unix seconds.
    pub deleted_at: Option<i64>,
}

/// Finds the milestone of this type that a listing has or had, a withdrawn one too.
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

/// What a listing has, without what was withdrawn, in the catalogue's order.
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

/// What all listings of a chain have, without what was withdrawn, by listing and
/// then in the catalogue's order.
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

/// The number of milestones of one type on the listings of a client's branches,
/// and one page of them, by id. Neither withdrawn ones count nor those of
/// deleted listings.
pub fn list_milestones_of_type(
    read: &mut Read<'_>,
    client_id: &str,
    type_id: i64,
    limit: i64,
    offset: i64,
) -> Result<(i64, Vec<StoredMilestone>)> {
    let total = read.query_exactly_one(
        "select count(*) from client_branch cb join listing l on l.branch_id = cb.branch_id \
         join milestone m on m.listing_id = l.id where cb.client_id = $1 and m.type_id = $2 \
         and l.deleted_at is null and m.deleted_at is null",
        &[client_id.into(), type_id.into()],
        |row| row.integer(0),
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

/// What is said of a milestone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MilestoneValues {
    /// The civil date in London (S-11); none when enquiries are reopened.
    pub date: Option<Date>,
    /// The exact time, if one was given, Unix seconds.
    pub completed_at: Option<i64>,
    /// Who says so.
    pub origin: Origin,
    /// Not needed for this sale (S-51).
    pub excluded: bool,
}

/// Gives a listing's milestone exactly these values, also one that was
/// withdrawn. The listing counts as changed and its chain gets a new version.
pub fn store_milestone(
    write: &mut Write<'_>,
    listing: ListingId,
    kind: &'static MilestoneType,
    values: &MilestoneValues,
    now: i64,
) -> Result<()> {
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
    listings::touch_listing(write, listing, now)?;
    chains::raise_version_of_listing(write, listing)
}

/// Withdraws a milestone; nothing happens where there is none. The listing
/// counts as changed and its chain gets a new version.
pub fn withdraw_milestone(
    write: &mut Write<'_>,
    listing: ListingId,
    type_id: i64,
    now: i64,
) -> Result<()> {
    let changed = write.execute(
        "update milestone set deleted_at = $1, updated_at = $2 \
         where listing_id = $3 and type_id = $4 and deleted_at is null",
        &[now.into(), now.into(), listing.into(), type_id.into()],
    )?;
    if changed == 0 {
        return Ok(());
    }
    listings::touch_listing(write, listing, now)?;
    chains::raise_version_of_listing(write, listing)
}

/// A milestone to be recorded.
#[derive(Debug, Clone, Copy)]
pub struct NewMilestone {
    /// The sale.
    pub listing: ListingId,
    /// What happened.
    pub kind: &'static MilestoneType,
    /// The civil date in London (S-11).
    pub date: Date,
    /// Who said so.
    pub origin: Origin,
}

/// Records a milestone, corrects its date, or records it again after it was
/// withdrawn; `false` if the same date stood there already (S-38).
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

/// Reads the id of a type.
pub(crate) fn read_type(row: &Row<'_>, column: usize) -> Result<&'static MilestoneType> {
    let id = row.integer(column)?;
    milestone::find_by_id(id)
        .ok_or_else(|| StorageError::Corrupt(format!("{id} is no milestone type")))
}

/// Reads a civil date that is never null.
pub(crate) fn read_date(row: &Row<'_>, column: usize) -> Result<Date> {
    read_optional_date(row, column)?
        .ok_or_else(|| StorageError::Corrupt(format!("column {column} is null")))
}

/// Reads a civil date.
pub(crate) fn read_optional_date(row: &Row<'_>, column: usize) -> Result<Option<Date>> {
    row.optional_text(column)?
        .map(|text| {
            text.parse()
                .map_err(|_| StorageError::Corrupt(format!("`{text}` is no date")))
        })
        .transpose()
}
