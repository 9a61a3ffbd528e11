//! Stores checkpoints: signed ones, and those that witnesses cosigned.

use super::{Appended, take_lease};
use crate::lease::Lease;
use crate::{Result, Write};

/// Stores a signed checkpoint, unless a later one is stored or the log is closed.
pub fn store_checkpoint(
    write: &mut Write<'_>,
    lease: Lease<'_>,
    log: i64,
    signed_size: i64,
    checkpoint: &str,
) -> Result<Appended> {
    if !take_lease(write, lease)? {
        return Ok(Appended::NotOwner);
    }
    let now = lease.now / 1000;
    let stored = write.execute(
        "update state_log set checkpoint = $1, signed_size = $2, signed_at = $3, \
         unwitnessed_since = case when signed_size > witnessed_size then unwitnessed_since else $4 end \
         where number = $5 and signed_size <= $6 \
         and not exists (select 1 from state_log n where n.number > $7)",
        &[
            checkpoint.into(),
            signed_size.into(),
            now.into(),
            now.into(),
            log.into(),
            signed_size.into(),
            log.into(),
        ],
    )?;
    Ok(if stored > 0 {
        Appended::Done
    } else {
        Appended::Stale
    })
}

/// Stores a checkpoint that the quorum of witnesses cosigned, unless a later one is stored. They were asked at
/// `asked_at`, in Unix seconds.
pub fn store_witnessed(
    write: &mut Write<'_>,
    log: i64,
    size: i64,
    checkpoint: &str,
    asked_at: i64,
) -> Result<()> {
    write.execute(
        "update state_log set witnessed = $1, witnessed_size = $2, unwitnessed_since = $3 \
         where number = $4 and witnessed_size <= $5",
        &[
            checkpoint.into(),
            size.into(),
            asked_at.into(),
            log.into(),
            size.into(),
        ],
    )?;
    Ok(())
}
