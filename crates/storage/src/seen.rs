//! The newest line of history that each person has seen, by chain.

use chain::ids::ChainId;

use crate::{Read, Result, Write};

/// Stands for all chains in the place of a chain's id.
const ALL: &str = "";

/// A person's last look at a chain, or at the changes of all chains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// The id of the newest line.
    pub history: i64,
    /// Unix seconds.
    pub at: i64,
}

/// Finds a person's last look at a chain.
pub fn find_seen(read: &mut Read<'_>, person: i64, chain: ChainId) -> Result<Option<Seen>> {
    find(read, person, &chain.to_string())
}

/// Finds when a person last marked the changes of all chains as read.
pub fn find_all_seen(read: &mut Read<'_>, person: i64) -> Result<Option<Seen>> {
    find(read, person, ALL)
}

/// Notes a person's look at a chain.
pub fn note_seen(write: &mut Write<'_>, person: i64, chain: ChainId, seen: Seen) -> Result<()> {
    note(write, person, &chain.to_string(), seen)
}

/// Notes that a person marked the changes of all chains as read.
pub fn note_all_seen(write: &mut Write<'_>, person: i64, seen: Seen) -> Result<()> {
    note(write, person, ALL, seen)
}

fn find(read: &mut Read<'_>, person: i64, chain: &str) -> Result<Option<Seen>> {
    read.query_one(
        "select history_id, seen_at from seen where person_id = $1 and chain_id = $2",
        &[person.into(), chain.into()],
        |row| {
            Ok(Seen {
                history: row.integer(0)?,
                at: row.integer(1)?,
            })
        },
    )
}

/// An older page does not make a newer line unread.
fn note(write: &mut Write<'_>, person: i64, chain: &str, seen: Seen) -> Result<()> {
    write.execute(
        "insert into seen (person_id, chain_id, history_id, seen_at) values ($1, $2, $3, $4) \
         on conflict (person_id, chain_id) do update set history_id = excluded.history_id, \
         seen_at = excluded.seen_at where excluded.history_id > seen.history_id",
        &[
            person.into(),
            chain.into(),
            seen.history.into(),
            seen.at.into(),
        ],
    )?;
    Ok(())
}
