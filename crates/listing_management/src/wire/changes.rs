//! The answer with the changes of a branch.

use serde::Serialize;
use storage::branch_changes::BranchChange;
use utoipa::ToSchema;
use web::problem::Problem;

use crate::change_cursor::Cursor;
use crate::wire::history::HistoryResource;

/// The changes that a branch has not read yet.
// S-93
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Changes)]
pub(crate) struct ChangesAnswer {
    /// The changes, in the order in which they became readable.
    data: Vec<HistoryResource>,
    /// Where to read on: send it as `after`.
    next: String,
    /// Whether more changes are there now.
    has_more: bool,
}

impl ChangesAnswer {
    /// The answer with these lines.
    pub(crate) fn of(
        lines: Vec<BranchChange>,
        next: Cursor,
        has_more: bool,
    ) -> Result<Self, Problem> {
        let data = lines
            .into_iter()
            .map(|line| HistoryResource::of_changes(line.entry));
        Ok(Self {
            data: data.collect::<Result<_, _>>()?,
            next: next.to_string(),
            has_more,
        })
    }
}
