//! The expected and proposed dates of a sale that nothing has overtaken.

use chain::milestone::MilestoneType;
use jiff::civil::Date;
use storage::state::ListingState;

/// The expected and proposed dates of steps that are not done. After exchange only those of completion
/// are left.
pub(crate) fn open_dates(
    listing: &ListingState,
) -> impl Iterator<Item = (Date, &'static MilestoneType)> {
    let is_done = |key: &str| {
        let mut recorded = listing.milestones.iter();
        recorded.any(|one| one.milestone.key == key)
    };
    let is_over = is_done("fall_through") || is_done("completion");
    let is_exchanged = is_done("exchange");
    let dated = listing.milestones.iter();
    dated.filter_map(move |one| {
        let awaited = one.milestone.awaited()?;
        let is_open =
            !is_over && !is_done(awaited.key) && (!is_exchanged || awaited.key == "completion");
        one.date
            .filter(|_date| is_open)
            .map(|date| (date, one.milestone))
    })
}
