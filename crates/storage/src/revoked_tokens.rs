//! Access tokens that were given up before they expired (RFC 7009).

use crate::{Read, Result, Write, registry};

/// A token that counts no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevokedToken {
    /// Its `jti`.
    pub token_id: String,
    /// When it would have ended anyway, Unix seconds.
    pub expires_at: i64,
}

/// Ends a token; `false` if that was done before.
pub fn insert_revoked_token(write: &mut Write<'_>, token: &RevokedToken) -> Result<bool> {
    let changed = write.execute(
        "insert into revoked_token (token_id, expires_at, revision) values ($1, $2, 0) \
         on conflict (token_id) do nothing",
        &[(&token.token_id).into(), token.expires_at.into()],
    )?;
    if changed == 0 {
        return Ok(false);
    }
    let revision = registry::raise_revision_for_token(write)?;
    write.execute(
        "update revoked_token set revision = $1 where token_id = $2",
        &[revision.into(), (&token.token_id).into()],
    )?;
    Ok(true)
}

/// The tokens that were revoked after the registry had this revision.
pub fn list_revoked_tokens(read: &mut Read<'_>, after_revision: i64) -> Result<Vec<RevokedToken>> {
    read.query(
        "select token_id, expires_at from revoked_token where revision > $1 order by revision",
        &[after_revision.into()],
        |row| {
            Ok(RevokedToken {
                token_id: row.text(0)?,
                expires_at: row.integer(1)?,
            })
        },
    )
}

/// Forgets tokens that ended before this time anyway; how many those were.
pub fn delete_expired_tokens(write: &mut Write<'_>, before: i64) -> Result<u64> {
    write.execute(
        "delete from revoked_token where expires_at < $1",
        &[before.into()],
    )
}
