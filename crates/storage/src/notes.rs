//! Notes that a branch's people write about its own sales. Only the branch sees them.

use chain::ids::ListingId;

use crate::{Read, Result, Write};

/// A stored note. Notes never change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredNote {
    /// The name of the person who wrote it.
    pub author: String,
    /// Its text.
    pub content: String,
    /// Unix seconds.
    pub created_at: i64,
}

/// Adds a note.
pub fn insert_note(
    write: &mut Write<'_>,
    listing: ListingId,
    person: i64,
    content: &str,
    now: i64,
) -> Result<()> {
    write.execute(
        "insert into note (listing_id, person_id, content, created_at) values ($1, $2, $3, $4)",
        &[listing.into(), person.into(), content.into(), now.into()],
    )?;
    Ok(())
}

/// The number of a listing's notes.
pub fn count_notes(read: &mut Read<'_>, listing: ListingId) -> Result<i64> {
    read.query_integer(
        "select count(*) from note where listing_id = $1",
        &[listing.into()],
    )
}

/// At most `limit` notes of a listing, the newest first.
pub fn list_notes(read: &mut Read<'_>, listing: ListingId, limit: i64) -> Result<Vec<StoredNote>> {
    read.query(
        "select p.name, n.content, n.created_at from note n join person p on p.id = n.person_id \
         where n.listing_id = $1 order by n.id desc limit $2",
        &[listing.into(), limit.into()],
        |row| {
            Ok(StoredNote {
                author: row.text(0)?,
                content: row.text(1)?,
                created_at: row.integer(2)?,
            })
        },
    )
}
