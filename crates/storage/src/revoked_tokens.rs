//! Access tokens that were revoked before they expired (RFC 7009).

use crate::{Read, Result, Write, registry};

/// A revoked token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevokedToken {
    /// Its `jti`.
    pub token_id: String,
    /// When it expires. Unix seconds.
    pub expires_at: i64,
}

/// Revokes a token. `false` if it was revoked before.
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

/// Whether a token was revoked.
pub fn is_revoked(read: &mut Read<'_>, token_id: &str) -> Result<bool> {
    read.exists(
        "select 1 from revoked_token where token_id = $1 limit 1",
        &[token_id.into()],
    )
}

/// The tokens revoked after this revision of the registry.
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
