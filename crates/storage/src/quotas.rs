//! Running totals of the amounts that callers used, for their quotas (S-65).

use crate::{Read, Result, Write};

/// How long one slot of a total is, in seconds. An amount leaves its total so much too late at most.
pub const SLOT_SECONDS: i64 = 600;

/// An amount that a quota bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Used {
    /// Listings that a branch added.
    Listings = 1,
    /// Properties that a branch added, which nobody knew.
    Properties = 2,
    /// Bytes of the answers that are kept for a client's repetitions (S-52), at the time when they
    /// expire.
    KeptBytes = 3,
    /// Deliveries that a participant replayed.
    Replays = 4,
    /// Current listings of which a branch was told (S-91).
    ToldListings = 5,
}

/// Adds to the total of a holder. `at` is in Unix seconds.
pub fn add_used(
    write: &mut Write<'_>,
    holder: &str,
    used: Used,
    amount: i64,
    at: i64,
) -> Result<()> {
    write.execute(
        "insert into used (holder, kind, slot, amount) values ($1, $2, $3, $4) \
         on conflict (holder, kind, slot) do update set amount = used.amount + excluded.amount",
        &[
            holder.into(),
            (used as i64).into(),
            (at - at.rem_euclid(SLOT_SECONDS)).into(),
            amount.into(),
        ],
    )?;
    Ok(())
}

/// The total of a holder since a time in Unix seconds. A transaction that also adds to it would conflict
/// with all others of the holder, so callers read it before.
pub fn sum_used(read: &mut Read<'_>, holder: &str, used: Used, since: i64) -> Result<i64> {
    read.query_integer(
        "select coalesce(cast(sum(amount) as bigint), 0) from used \
         where holder = $1 and kind = $2 and slot > $3",
        &[
            holder.into(),
            (used as i64).into(),
            (since - SLOT_SECONDS).into(),
        ],
    )
}
