//! Used client assertions, and used sign-ins of people. All nodes together accept each of them once.

use crate::{Read, Result, Write};

/// Whether a client used an assertion before. The answer may be out of date at once; only
/// [`insert_used_assertion`] decides.
pub fn was_used(read: &mut Read<'_>, client_id: &str, jti_digest: &str) -> Result<bool> {
    read.exists(
        "select 1 from used_assertion where client_id = $1 and jti_digest = $2",
        &[client_id.into(), jti_digest.into()],
    )
}

/// Marks an assertion as used. `false` if it was used before (RFC 7523 section 3, point 7).
/// `jti_digest` is a digest of the `jti`, because the length of a `jti` has no bound.
pub fn insert_used_assertion(
    write: &mut Write<'_>,
    client_id: &str,
    jti_digest: &str,
    expires_at: i64,
) -> Result<bool> {
    let changed = write.execute(
        "insert into used_assertion (client_id, jti_digest, expires_at) values ($1, $2, $3) \
         on conflict (client_id, jti_digest) do nothing",
        &[client_id.into(), jti_digest.into(), expires_at.into()],
    )?;
    Ok(changed > 0)
}

/// Marks a sign-in of the console as used. `false` if it was used before. No client has this name, and
/// two digests are never the same.
pub fn insert_used_sign_in(write: &mut Write<'_>, digest: &str, expires_at: i64) -> Result<bool> {
    insert_used_assertion(write, "sign-in of a person", digest, expires_at)
}
