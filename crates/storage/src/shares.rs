//! Links with which anybody sees the chain of one listing. The store has only their digests.

use chain::ids::ListingId;

use crate::row::Row;
use crate::{Read, Result, Write};

/// A query for [`read_share`], up to its condition.
macro_rules! select_share {
    () => {
        "select s.id, s.listing_id, s.person_id, p.name, s.created_at, s.expires_at, s.revoked_at, \
         s.opened from share s join person p on p.id = s.person_id "
    };
}

/// A stored share link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredShare {
    /// Its id, which the person sees.
    pub id: i64,
    /// The listing. The link shows the chain that the listing is in at that moment.
    pub listing: ListingId,
    /// The person who made it.
    pub person: i64,
    /// The name of that person.
    pub person_name: String,
    /// Unix seconds.
    pub created_at: i64,
    /// Unix seconds.
    pub expires_at: i64,
    /// Unix seconds; `None` until somebody has revoked it.
    pub revoked_at: Option<i64>,
    /// How often it was opened.
    pub opened: i64,
}

/// A share link to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewShare<'a> {
    /// SHA-256 of its secret part, in base64url.
    pub digest: &'a str,
    /// The listing.
    pub listing: ListingId,
    /// The person who makes it.
    pub person: i64,
    /// Unix seconds.
    pub expires_at: i64,
}

/// Inserts a share link. Returns its id.
pub fn insert_share(write: &mut Write<'_>, share: &NewShare<'_>, now: i64) -> Result<i64> {
    write.insert(
        "insert into share (digest, listing_id, person_id, created_at, expires_at, opened) \
         values ($1, $2, $3, $4, $5, 0) returning id",
        &[
            share.digest.into(),
            share.listing.into(),
            share.person.into(),
            now.into(),
            share.expires_at.into(),
        ],
    )
}

/// Finds a share link by its digest, even an expired or revoked one.
pub fn find_share(read: &mut Read<'_>, digest: &str) -> Result<Option<StoredShare>> {
    let sql = concat!(select_share!(), "where s.digest = $1");
    read.query_one(sql, &[digest.into()], read_share)
}

/// Revokes the share links that people of a participant made.
pub fn revoke_shares_of_participant(write: &mut Write<'_>, id: i64, now: i64) -> Result<()> {
    write.execute(
        "update share set revoked_at = $1 where revoked_at is null \
         and person_id in (select id from person where participant_id = $2)",
        &[now.into(), id.into()],
    )?;
    Ok(())
}

/// The share links of a listing that are valid at this time, the newest first.
pub fn list_shares(read: &mut Read<'_>, listing: ListingId, now: i64) -> Result<Vec<StoredShare>> {
    let sql = concat!(
        select_share!(),
        "where s.listing_id = $1 and s.expires_at > $2 and s.revoked_at is null order by s.id desc"
    );
    read.query(sql, &[listing.into(), now.into()], read_share)
}

/// Finds a share link by its id.
pub fn find_share_by_id(read: &mut Read<'_>, id: i64) -> Result<Option<StoredShare>> {
    let sql = concat!(select_share!(), "where s.id = $1");
    read.query_one(sql, &[id.into()], read_share)
}

/// Counts one opening.
pub fn count_opening(write: &mut Write<'_>, id: i64) -> Result<()> {
    write.execute(
        "update share set opened = opened + 1 where id = $1",
        &[id.into()],
    )?;
    Ok(())
}

/// Revokes a share link.
pub fn revoke_share(write: &mut Write<'_>, id: i64, now: i64) -> Result<()> {
    write.execute(
        "update share set revoked_at = $1 where id = $2 and revoked_at is null",
        &[now.into(), id.into()],
    )?;
    Ok(())
}

fn read_share(row: &Row<'_>) -> Result<StoredShare> {
    Ok(StoredShare {
        id: row.integer(0)?,
        listing: ListingId(row.integer(1)?),
        person: row.integer(2)?,
        person_name: row.text(3)?,
        created_at: row.integer(4)?,
        expires_at: row.integer(5)?,
        revoked_at: row.optional_integer(6)?,
        opened: row.integer(7)?,
    })
}
