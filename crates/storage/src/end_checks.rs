//! End checks: confirmations that a chain ends at a listing.

use chain::ends::End;
use chain::ids::{BranchId, ChainId, ListingId};

use crate::{Read, Result, Write};

/// The word for an end in the store.
pub(crate) fn end_word(end: End) -> &'static str {
    match end {
        End::Top => "top",
        End::Bottom => "bottom",
    }
}

/// Whether an end is marked as checked.
pub(crate) fn is_checked(read: &mut Read<'_>, listing: ListingId, end: End) -> Result<bool> {
    read.exists(
        "select 1 from end_check where listing_id = $1 and chain_end = $2",
        &[listing.into(), end_word(end).into()],
    )
}

/// Marks an end as checked in the name of a branch. The caller began the change of the chain.
pub(crate) fn insert_end_check(
    write: &mut Write<'_>,
    listing: ListingId,
    end: End,
    branch: Option<BranchId>,
    now: i64,
) -> Result<()> {
    write.execute(
        "insert into end_check (listing_id, chain_end, branch_id, checked_at) \
         values ($1, $2, $3, $4)",
        &[
            listing.into(),
            end_word(end).into(),
            branch.map(|branch| branch.0).into(),
            now.into(),
        ],
    )?;
    Ok(())
}

/// Clears the check of an end, if there is one. The caller began the change of the chain.
pub(crate) fn delete_end_check(write: &mut Write<'_>, listing: ListingId, end: End) -> Result<()> {
    write.execute(
        "delete from end_check where listing_id = $1 and chain_end = $2",
        &[listing.into(), end_word(end).into()],
    )?;
    Ok(())
}

/// Clears the checks of a listing that moves to another property. The caller began the change of the chain.
pub fn delete_end_checks_of_listing(write: &mut Write<'_>, listing: ListingId) -> Result<()> {
    delete_end_check(write, listing, End::Top)?;
    delete_end_check(write, listing, End::Bottom)
}

/// The check of an end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndCheck {
    /// The listing at the end.
    pub listing: ListingId,
    /// Whether it is the top.
    pub is_top: bool,
    /// The name of the branch's participant, where the branch is known.
    pub participant: Option<String>,
    /// Unix seconds.
    pub checked_at: i64,
}

/// The checks of the listings of a chain, the newest first.
pub fn list_end_checks(read: &mut Read<'_>, chain: ChainId) -> Result<Vec<EndCheck>> {
    read.query(
        "select e.listing_id, e.chain_end, o.name, e.checked_at from listing l \
         join end_check e on e.listing_id = l.id left join branch b on b.id = e.branch_id \
         left join participant o on o.id = b.participant_id \
         where l.chain_id = $1 and l.deleted_at is null order by e.checked_at desc",
        &[(&chain.to_string()).into()],
        |row| {
            Ok(EndCheck {
                listing: ListingId(row.integer(0)?),
                is_top: row.text(1)? == end_word(End::Top),
                participant: row.optional_text(2)?,
                checked_at: row.integer(3)?,
            })
        },
    )
}
