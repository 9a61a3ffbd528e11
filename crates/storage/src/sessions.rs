//! Sessions of the console. The store has only the digests of their cookies.

use crate::{Read, Result, Write};

/// A session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredSession {
    /// Its id, which the person sees.
    pub id: i64,
    /// The person.
    pub person: i64,
    /// Unix seconds.
    pub signed_in_at: i64,
    /// When the last request came, give or take a minute, in Unix seconds.
    pub seen_at: i64,
    /// When it ends at the latest, in Unix seconds.
    pub expires_at: i64,
}

/// Begins a session. Returns its id.
pub fn insert_session(
    write: &mut Write<'_>,
    digest: &str,
    person: i64,
    [now, expires_at]: [i64; 2],
) -> Result<i64> {
    write.insert(
        "insert into console_session (digest, person_id, signed_in_at, seen_at, expires_at) \
         values ($1, $2, $3, $4, $5) returning id",
        &[
            digest.into(),
            person.into(),
            now.into(),
            now.into(),
            expires_at.into(),
        ],
    )
}

/// Finds a session by the digest of its cookie, even an expired one.
pub fn find_session(read: &mut Read<'_>, digest: &str) -> Result<Option<StoredSession>> {
    read.query_one(
        "select id, person_id, signed_in_at, seen_at, expires_at from console_session \
         where digest = $1",
        &[digest.into()],
        read_session,
    )
}

/// The sessions of a person, the newest first.
pub fn list_sessions(read: &mut Read<'_>, person: i64) -> Result<Vec<StoredSession>> {
    read.query(
        "select id, person_id, signed_in_at, seen_at, expires_at from console_session \
         where person_id = $1 order by id desc",
        &[person.into()],
        read_session,
    )
}

/// Notes a request of a session.
pub fn touch_session(write: &mut Write<'_>, id: i64, now: i64) -> Result<()> {
    write.execute(
        "update console_session set seen_at = $1 where id = $2 and seen_at < $3",
        &[now.into(), id.into(), now.into()],
    )?;
    Ok(())
}

/// Ends a session of a person.
pub fn delete_session(write: &mut Write<'_>, person: i64, id: i64) -> Result<bool> {
    let deleted = write.execute(
        "delete from console_session where id = $1 and person_id = $2",
        &[id.into(), person.into()],
    )?;
    Ok(deleted > 0)
}

/// Ends all sessions of a person.
pub fn delete_sessions(write: &mut Write<'_>, person: i64) -> Result<()> {
    write.execute(
        "delete from console_session where person_id = $1",
        &[person.into()],
    )?;
    Ok(())
}

/// Ends the oldest sessions of a person past the newest `kept`.
pub fn delete_oldest_sessions(write: &mut Write<'_>, person: i64, kept: i64) -> Result<()> {
    write.execute(
        "delete from console_session where person_id = $1 and id not in (select id \
         from console_session where person_id = $2 order by id desc limit $3)",
        &[person.into(), person.into(), kept.into()],
    )?;
    Ok(())
}

fn read_session(row: &crate::row::Row<'_>) -> Result<StoredSession> {
    Ok(StoredSession {
        id: row.integer(0)?,
        person: row.integer(1)?,
        signed_in_at: row.integer(2)?,
        seen_at: row.integer(3)?,
        expires_at: row.integer(4)?,
    })
}

/// Ends all sessions of the people of a participant.
pub fn delete_sessions_of_participant(write: &mut Write<'_>, id: i64) -> Result<()> {
    write.execute(
        "delete from console_session where person_id in (select id from person where participant_id = $1)",
        &[id.into()],
    )?;
    Ok(())
}
