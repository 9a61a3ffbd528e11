//! Milestones: what happened to a sale, and when.

use chain::ids::ListingId;
use chain::milestone::{MilestoneType, Origin};
use jiff::civil::Date;

use crate::{Result, Write};

/// A milestone to be recorded.
#[derive(Debug, Clone, Copy)]
pub struct NewMilestone {
    /// The sale.
    pub listing: ListingId,
    /// What happened.
    pub kind: &'static MilestoneType,
    /// The civil date in London (S-11).
    pub date: Date,
    /// Who said so.
    pub origin: Origin,
}

/// Records a milestone, corrects its date, or records it again after it was
/// withdrawn; `false` if the same date stood there already (S-38).
pub fn record_milestone(write: &mut Write<'_>, milestone: &NewMilestone, now: i64) -> Result<bool> {
    let date = milestone.date.to_string();
    let changed = write.execute(
        "insert into milestone (listing_id, type_id, date, origin, excluded, created_at, \
         updated_at) values ($1, $2, $3, $4, 0, $5, $6) \
         on conflict (listing_id, type_id) do update set date = excluded.date, \
         completed_at = null, origin = excluded.origin, updated_at = excluded.updated_at, \
         deleted_at = null \
         where milestone.date is null or milestone.date <> excluded.date \
         or milestone.deleted_at is not null",
        &[
            milestone.listing.into(),
            milestone.kind.id.into(),
            (&date).into(),
            milestone.origin.code().into(),
            now.into(),
            now.into(),
        ],
    )?;
    Ok(changed > 0)
}
