//! `GET {listing_base_url}/api/v1/changes`: the changes that a branch has not read yet (S-93).

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chain::ids::BranchId;
use http::Uri;
use storage::{Read, branch, branch_changes};
use web::page::{Query, refuse_errors};
use web::problem::{FieldError, Problem};
use web::refusals;
use web::segments::unknown_branch;

use crate::ListingManagement;
use crate::caller::BranchCaller;
use crate::change_cursor::Cursor;
use crate::limits::{CHANGES_NUMBERED_MAX, CHANGES_PER_PAGE, CHANGES_SECONDS};
use crate::openapi::{changes, describe};
use crate::parameters::ChangesAfter;
use crate::wire::changes::ChangesAnswer;

refusals!(ListChangesRefusals = describe(changes()));

/// Lists the changes of one of your branches' listings and their chains that you have not read yet.
///
/// It has all changes of the branch's listings. Of the other listings of their chains it has the links, the
/// checks of ends and the milestones with a label. Changes of the last 30 days are there, from the time on when
/// the branch was in the chain. Prices, conveyancers and reasons are left out.
///
/// Keep `next`, and send it as `after` to read on: each change comes once. A cursor that is older than 30 days,
/// or from before a restore of the service's store, is 410.
// S-93
#[utoipa::path(
    get,
    path = "/api/v1/changes",
    tag = "Listings",
    params(ChangesAfter),
    responses(
        (status = 200, description = "The next changes, at most 100.", body = ChangesAnswer),
        ListChangesRefusals,
    ),
)]
pub(crate) async fn list_changes(
    State(management): State<Arc<ListingManagement>>,
    caller: BranchCaller,
    uri: Uri,
) -> Result<Json<ChangesAnswer>, Problem> {
    let (branch, after) = read_query(uri.query())?;
    let now = management.clock.now_seconds();
    let (after, has_new) = management
        .storage
        .read(move |read| {
            let after = find_start(read, &caller, branch, after, now)?;
            let has_new = branch_changes::has_new_lines(read, branch)?;
            Ok::<_, Problem>((after, has_new))
        })
        .await?;
    if has_new {
        management
            .storage
            .write_under_row_locks(move |write| {
                branch_changes::number_new_lines(write, branch, CHANGES_NUMBERED_MAX)
            })
            .await?;
    }
    let oldest = now - CHANGES_SECONDS;
    let mut lines = management
        .storage
        .read(move |read| {
            // One more shows whether more follow.
            let limit = CHANGES_PER_PAGE + 1;
            branch_changes::list_changes(read, branch, after.number(), oldest, limit)
        })
        .await?;
    let most = usize::try_from(CHANGES_PER_PAGE).unwrap_or(usize::MAX);
    let has_more = lines.len() > most;
    lines.truncate(most);
    let next = after.after(&lines, !has_more, now);
    Ok(Json(ChangesAnswer::of(lines, next, has_more)?))
}

/// Reads the branch, and the cursor if there is one.
fn read_query(text: Option<&str>) -> Result<(BranchId, Option<Cursor>), Problem> {
    let query = Query::parse(text)?;
    let mut errors = Vec::new();
    let branch = query.integer("branch_id", 1..=web::limits::INTEGER_MAX, &mut errors);
    if query.find("branch_id").is_none() {
        errors.push(FieldError::new("branch_id", "is missing".to_owned()));
    }
    let after = query.find("after").map(Cursor::parse);
    if after == Some(None) {
        errors.push(FieldError::new("after", NO_CURSOR.to_owned()));
    }
    refuse_errors(errors)?;
    let incomplete = || Problem::Internal("a query was read incompletely".to_owned());
    Ok((BranchId(branch.ok_or_else(incomplete)?), after.flatten()))
}

/// Why a text is refused as a cursor.
const NO_CURSOR: &str = "must be `next` of an earlier answer";

/// The cursor from which the caller reads on, if the branch is the caller's.
fn find_start(
    read: &mut Read<'_>,
    caller: &BranchCaller,
    branch: BranchId,
    after: Option<Cursor>,
    now: i64,
) -> Result<Cursor, Problem> {
    if !branch::branch_exists(read, branch)? {
        return Err(unknown_branch(&branch.to_string())
            .about("branch_id")
            .into());
    }
    caller.check_branch(branch)?;
    let Some(after) = after else {
        return Ok(Cursor::first(read, branch, now - CHANGES_SECONDS)?);
    };
    match after.find_fault(read, branch, now)? {
        Some(fault) => Err(Problem::Refused(fault.into())),
        None => Ok(after),
    }
}
