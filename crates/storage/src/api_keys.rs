//! API keys for webhook management. The store has only their digests (S-26).

use crate::row::Row;
use crate::{Read, Result, Write};

/// A stored API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredApiKey {
    /// Its id, which is the first part of the key.
    pub id: i64,
    /// The name of its participant.
    pub participant: String,
    /// SHA-256 of the key's secret part, in base64url.
    pub digest: String,
    /// Unix seconds.
    pub created_at: i64,
    /// Unix seconds; `None` while the key is valid.
    pub revoked_at: Option<i64>,
}

/// Inserts an API key of a participant. Returns its id.
pub fn insert_api_key(
    write: &mut Write<'_>,
    participant_id: i64,
    digest: &str,
    now: i64,
) -> Result<i64> {
    write.insert(
        "insert into api_key (participant_id, digest, created_at) values ($1, $2, $3) \
         returning id",
        &[participant_id.into(), digest.into(), now.into()],
    )
}

/// Finds an API key, even a revoked one.
pub fn find_api_key(read: &mut Read<'_>, id: i64) -> Result<Option<StoredApiKey>> {
    read.query_one(
        "select k.id, p.name, k.digest, k.created_at, k.revoked_at \
         from api_key k join participant p on p.id = k.participant_id where k.id = $1",
        &[id.into()],
        read_api_key,
    )
}

/// All API keys, the oldest first.
pub fn list_api_keys(read: &mut Read<'_>) -> Result<Vec<StoredApiKey>> {
    read.query(
        "select k.id, p.name, k.digest, k.created_at, k.revoked_at \
         from api_key k join participant p on p.id = k.participant_id order by k.id",
        &[],
        read_api_key,
    )
}

/// Revokes an API key and disables its subscriptions, even if the key was revoked before. `false` if
/// it was, or if there is no such key.
pub fn revoke_api_key(write: &mut Write<'_>, id: i64, now: i64) -> Result<bool> {
    let changed = write.execute(
        "update api_key set revoked_at = $1 where id = $2 and revoked_at is null",
        &[now.into(), id.into()],
    )?;
    write.execute(
        "update subscription set status = 'disabled', disabled_reason = 'key_revoked', \
         disabled_at = $1, updated_at = $2 where api_key_id = $3 and status = 'active'",
        &[now.into(), now.into(), id.into()],
    )?;
    Ok(changed > 0)
}

fn read_api_key(row: &Row<'_>) -> Result<StoredApiKey> {
    Ok(StoredApiKey {
        id: row.integer(0)?,
        participant: row.text(1)?,
        digest: row.text(2)?,
        created_at: row.integer(3)?,
        revoked_at: row.optional_integer(4)?,
    })
}
