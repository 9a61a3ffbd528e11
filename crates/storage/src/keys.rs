//! Signing keys. Callers seal the private parts.

use crate::row::Row;
use crate::{Read, Result, Write, registry};

/// The first schema version of which a program knows that a key may have another id than its thumbprint.
const GIVEN_KIDS: i64 = 32;

/// A stored signing key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredKey {
    /// Its id in the key set.
    pub kid: String,
    /// Its use: `provenance`, `event` or `token`.
    pub purpose: String,
    /// The JWA name of its algorithm.
    pub algorithm: String,
    /// `next`, `current`, `retired` or `revoked` (S-28).
    pub state: String,
    /// The private key, sealed.
    pub sealed_private_key: String,
    /// Unix seconds.
    pub created_at: i64,
    /// When its state last changed. Unix seconds.
    pub changed_at: i64,
}

/// All keys, the oldest first.
pub fn list_keys(read: &mut Read<'_>) -> Result<Vec<StoredKey>> {
    read.query(
        "select kid, purpose, algorithm, state, sealed_private_key, created_at, changed_at \
         from signing_key order by created_at, kid",
        &[],
        read_key,
    )
}

/// Reads the first seven columns, in the order of [`StoredKey`].
pub(crate) fn read_key(row: &Row<'_>) -> Result<StoredKey> {
    Ok(StoredKey {
        kid: row.text(0)?,
        purpose: row.text(1)?,
        algorithm: row.text(2)?,
        state: row.text(3)?,
        sealed_private_key: row.text(4)?,
        created_at: row.integer(5)?,
        changed_at: row.integer(6)?,
    })
}

/// The purposes, and since when their keys sign, in Unix seconds.
pub fn list_signing_since(read: &mut Read<'_>) -> Result<Vec<(String, i64)>> {
    read.query(
        "select purpose, changed_at from signing_key where state = 'current' order by purpose",
        &[],
        |row| Ok((row.text(0)?, row.integer(1)?)),
    )
}

/// Inserts a key.
pub fn insert_key(write: &mut Write<'_>, key: &StoredKey) -> Result<()> {
    write.execute(
        "insert into signing_key (kid, purpose, algorithm, state, sealed_private_key, \
         created_at, changed_at) values ($1, $2, $3, $4, $5, $6, $7)",
        &[
            (&key.kid).into(),
            (&key.purpose).into(),
            (&key.algorithm).into(),
            (&key.state).into(),
            (&key.sealed_private_key).into(),
            key.created_at.into(),
            key.changed_at.into(),
        ],
    )?;
    note_change(write, &key.kid)?;
    registry::raise_revision(write)
}

/// Changes a key's state.
pub fn update_state(write: &mut Write<'_>, kid: &str, state: &str, now: i64) -> Result<()> {
    write.execute(
        "update signing_key set state = $1, changed_at = $2 where kid = $3",
        &[state.into(), now.into(), kid.into()],
    )?;
    note_change(write, kid)?;
    registry::raise_revision(write)
}

/// Notes the state of a key for the log (S-61).
fn note_change(write: &mut Write<'_>, kid: &str) -> Result<()> {
    write.execute(
        "insert into key_change (kid, state, changed_at) \
         select kid, state, changed_at from signing_key where kid = $1",
        &[kid.into()],
    )?;
    Ok(())
}

/// Changes the sealed form of a key's private part.
pub fn update_seal(write: &mut Write<'_>, kid: &str, sealed: &str) -> Result<()> {
    write.execute(
        "update signing_key set sealed_private_key = $1 where kid = $2",
        &[sealed.into(), kid.into()],
    )?;
    registry::raise_revision(write)
}

/// The state of the key with this id, also of a revoked one.
pub fn find_state(read: &mut Read<'_>, kid: &str) -> Result<Option<String>> {
    let sql = "select state from signing_key where kid = $1";
    read.query_one(sql, &[kid.into()], |row| row.text(0))
}

/// The id of the key with this thumbprint of its public key (RFC 7638), also of a revoked one.
pub fn find_by_thumbprint(read: &mut Read<'_>, thumbprint: &str) -> Result<Option<String>> {
    let sql = "select kid from signing_key where coalesce(thumbprint, kid) = $1";
    read.query_one(sql, &[thumbprint.into()], |row| row.text(0))
}

/// Notes that a key has another id than the thumbprint of its public key. From now on the store refuses
/// programs that would sign with the thumbprint as its id.
pub fn note_thumbprint(write: &mut Write<'_>, kid: &str, thumbprint: &str) -> Result<()> {
    write.execute(
        "update signing_key set thumbprint = $1 where kid = $2",
        &[thumbprint.into(), kid.into()],
    )?;
    write.execute(
        "update schema_version set oldest_program = $1 where version = $1",
        &[GIVEN_KIDS.into()],
    )?;
    Ok(())
}

/// The ids of the keys that this address showed with their public keys (S-76), and when a node first saw
/// that, in Unix seconds.
pub fn list_shown(read: &mut Read<'_>, address: &str) -> Result<Vec<(String, i64)>> {
    read.query(
        "select kid, shown_at from signing_key where shown_by = $1 and shown_at is not null order by kid",
        &[address.into()],
        |row| Ok((row.text(0)?, row.integer(1)?)),
    )
}

/// Notes that this address shows a key with its public key (S-76). Only the first time counts.
pub fn note_shown(write: &mut Write<'_>, kid: &str, address: &str, now: i64) -> Result<()> {
    let changed = write.execute(
        "update signing_key set shown_by = $1, shown_at = $2 \
         where kid = $3 and (shown_by is null or shown_by <> $1)",
        &[address.into(), now.into(), kid.into()],
    )?;
    if changed > 0 {
        registry::raise_revision(write)?;
    }
    Ok(())
}

/// Revokes keys that were retired before a time (S-28). Returns their number.
pub fn revoke_retired_keys(write: &mut Write<'_>, retired_before: i64, now: i64) -> Result<u64> {
    write.execute(
        "insert into key_change (kid, state, changed_at) \
         select kid, 'revoked', cast($1 as bigint) from signing_key \
         where state = 'retired' and changed_at < $2",
        &[now.into(), retired_before.into()],
    )?;
    let changed = write.execute(
        "update signing_key set state = 'revoked', changed_at = $1 \
         where state = 'retired' and changed_at < $2",
        &[now.into(), retired_before.into()],
    )?;
    if changed > 0 {
        registry::raise_revision(write)?;
    }
    Ok(changed)
}
