//! End checks: confirmations that a chain ends at a listing.

use chain::ends::End;
use chain::ids::{BranchId, ListingId};

use crate::{Result, Write};

/// The word for an end in the store.
pub(crate) fn end_word(end: End) -> &'static str {
    match end {
        End::Top => "top",
        End::Bottom => "bottom",
    }
}

/// Marks an end as checked in the name of a branch. `false` if it was checked already.
pub fn insert_end_check(
    write: &mut Write<'_>,
    listing: ListingId,
    end: End,
    branch: Option<BranchId>,
    now: i64,
) -> Result<bool> {
    let changed = write.execute(
        "insert into end_check (listing_id, chain_end, branch_id, checked_at) \
         values ($1, $2, $3, $4) on conflict (listing_id, chain_end) do nothing",
        &[
            listing.into(),
            end_word(end).into(),
            branch.map(|branch| branch.0).into(),
            now.into(),
        ],
    )?;
    Ok(changed > 0)
}

/// Clears the check of an end. `false` if there was none.
pub(crate) fn delete_end_check(
    write: &mut Write<'_>,
    listing: ListingId,
    end: End,
) -> Result<bool> {
    let changed = write.execute(
        "delete from end_check where listing_id = $1 and chain_end = $2",
        &[listing.into(), end_word(end).into()],
    )?;
    Ok(changed > 0)
}
