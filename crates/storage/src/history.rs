//! History: who did what to a listing. Entries are added and never changed.

use chain::ids::{ChainId, ListingId};

use crate::{Read, Result, Write};

/// Something that was done.
#[derive(Debug, Clone, Copy)]
pub struct NewEntry<'a> {
    /// To which listing.
    pub listing: ListingId,
    /// The listing's chain afterwards.
    pub chain: ChainId,
    /// What was done.
    pub action: &'a str,
    /// The client's id, or `operator`.
    pub actor: &'a str,
    /// Particulars as the caller wrote them, a JSON text.
    pub detail: &'a str,
}

/// Something that was done, as the store holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    /// Rises with every entry.
    pub id: i64,
    /// To which listing.
    pub listing: ListingId,
    /// The listing's chain at that time; it may have ended since.
    pub chain: ChainId,
    /// What was done.
    pub action: String,
    /// The client's id, or `operator`.
    pub actor: String,
    /// What the client's organisation is called now; none for other actors.
    pub participant: Option<String>,
    /// Particulars, a JSON text.
    pub detail: String,
    /// Unix seconds.
    pub at: i64,
}

/// Adds an entry.
pub fn append_history(write: &mut Write<'_>, entry: &NewEntry<'_>, now: i64) -> Result<()> {
    write.execute(
        "insert into history (listing_id, chain_id, action, actor, detail, recorded_at) \
         values ($1, $2, $3, $4, $5, $6)",
        &[
            entry.listing.into(),
            (&entry.chain.to_string()).into(),
            entry.action.into(),
            entry.actor.into(),
            entry.detail.into(),
            now.into(),
        ],
    )?;
    Ok(())
}

/// The number of a listing's entries, and one page of them, oldest first.
pub fn list_history(
    read: &mut Read<'_>,
    listing: ListingId,
    limit: i64,
    offset: i64,
) -> Result<(i64, Vec<HistoryEntry>)> {
    let total = read.query_exactly_one(
        "select count(*) from history where listing_id = $1",
        &[listing.into()],
        |row| row.integer(0),
    )?;
    let entries = read.query(
        "select h.id, h.listing_id, h.chain_id, h.action, h.actor, p.name, h.detail, \
         h.recorded_at from history h left join client c on c.id = h.actor \
         left join participant p on p.id = c.participant_id \
         where h.listing_id = $1 order by h.id limit $2 offset $3",
        &[listing.into(), limit.into(), offset.into()],
        |row| {
            Ok(HistoryEntry {
                id: row.integer(0)?,
                listing: ListingId(row.integer(1)?),
                chain: row.parsed(2)?,
                action: row.text(3)?,
                actor: row.text(4)?,
                participant: row.optional_text(5)?,
                detail: row.text(6)?,
                at: row.integer(7)?,
            })
        },
    )?;
    Ok((total, entries))
}
