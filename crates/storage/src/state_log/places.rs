//! Places of states and of changes of keys in the logs, for evidence packs (S-62).

use super::waiting::{WaitingState, read_state};
use crate::row::Row;
use crate::{Read, Result};

/// Where an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It waits for the log.
    Waiting,
    /// It enters no log: its row is damaged.
    Nowhere,
    /// It is in a log. Whether a checkpoint shows it, the log's `signed_size` tells.
    In {
        /// The number of the log.
        log: i64,
        /// The index of the entry.
        index: i64,
    },
}

/// The places of all changes of a signing key, in their order. Empty for an unknown key.
pub fn find_key_places(read: &mut Read<'_>, kid: &str) -> Result<Vec<Place>> {
    read.query(
        "select log_number, log_index from key_change where kid = $1 order by id",
        &[kid.into()],
        |row| read_place(row, 0),
    )
}

/// A version of a chain by the digest of its document. Of several with the same document, the last one that
/// was recorded at a time, in Unix seconds, or before, and otherwise the first one.
pub fn find_state(
    read: &mut Read<'_>,
    chain: &str,
    digest: &[u8; 32],
    at: i64,
) -> Result<Option<(WaitingState, Place)>> {
    read.query_one(
        "select chain_id, version, recorded_at, form, digest, document, listings, erased, log_number, \
         log_index from sealed where chain_id = $1 and digest = $2 \
         order by case when recorded_at <= $3 then -version else version end limit 1",
        &[chain.into(), digest.as_slice().into(), at.into()],
        |row| Ok((read_state(row)?, read_place(row, 8)?)),
    )
}

/// Whether the present version of a chain waits to be sealed.
pub fn is_unsealed(read: &mut Read<'_>, chain: &str) -> Result<bool> {
    let count = read.query_integer(
        "select count(*) from unsealed where chain_id = $1",
        &[chain.into()],
    )?;
    Ok(count > 0)
}

/// Reads the number of a log and an index from two columns.
fn read_place(row: &Row<'_>, first: usize) -> Result<Place> {
    let (log, index) = (
        row.optional_integer(first)?,
        row.optional_integer(first + 1)?,
    );
    Ok(match (log, index) {
        (None, _) => Place::Waiting,
        (Some(log), Some(index)) if log > 0 => Place::In { log, index },
        (Some(_), _) => Place::Nowhere,
    })
}
