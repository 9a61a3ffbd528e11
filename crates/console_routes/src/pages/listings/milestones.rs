//! `POST {console_url}/listings/{listing}/milestones/{key}`: records, excludes or withdraws a milestone.

use axum::response::Response;
use chain::milestone::MilestoneType;
use chain::record::RequestedRecord;
use console::listing::milestone_seen;
use listing_management::listings::find_own_listing;
use listing_management::milestones;
use web::problem::Problem;
use web::refusal::Refusal;
use web::values::read_date;

use super::{SaleForm, is_of_older_state, lead_to};
use crate::Console;
use crate::frames::{Destination, Notice, refuse_at};

/// Changes a milestone as document 2's call does. Refuses a form that does not name the present state, unless the
/// milestone is already as the form wants it.
pub(crate) async fn change_milestone(sale: SaleForm) -> Result<Response, Problem> {
    let kind = sale.segments.milestone_type_by_key(1)?;
    let changed = change(&sale, kind).await;
    let form = &sale.form;
    sale.conclude(changed, |page, problem| {
        let field = format!("milestone-{}-date", kind.key);
        refuse_at(&mut page.frame, problem, &field);
        let mut entries = page.milestones.iter_mut();
        let Some(entry) = entries.find(|entry| entry.milestone.id == kind.id) else {
            return;
        };
        entry.typed = Some(form.text("date").to_owned());
        entry.is_newer = is_of_older_state(problem);
        if entry.is_newer {
            let detail = entry.conflict(form.text("action"), form.text("date"));
            for shown in &mut page.frame.problems {
                shown.detail.clone_from(&detail);
            }
        }
    })
    .await
}

async fn change(sale: &SaleForm, kind: &'static MilestoneType) -> Result<Destination, Problem> {
    let (listing, form) = (sale.listing, &sale.form);
    let date = form.text("date");
    // The state that the form wants, and the record of it; `None` withdraws the milestone.
    let (wanted, requested) = match form.text("action") {
        "withdraw" => (milestone_seen(None), None),
        "exclude" => {
            // Document 2 asks for a date. A milestone that nobody needs has none of its own.
            let today = sale.console.today().to_string();
            let date = if date.is_empty() { &today } else { date };
            let wanted = milestone_seen(Some((None, true)));
            (wanted, Some(request(&sale.console, kind, date, true)?))
        }
        "record" => (
            date.to_owned(),
            Some(request(&sale.console, kind, date, false)?),
        ),
        _other => {
            let detail = "choose to record, to leave out or to withdraw";
            return Err(Problem::value_invalid("date", detail));
        }
    };
    let seen = form.text("seen").to_owned();
    let changing = sale.write_as_it_is(move |write, author| {
        find_own_listing(write, author.caller, listing)?;
        let stored = storage::milestones::find_milestone(write, listing, kind.id)?;
        let stored = stored.filter(|stored| stored.deleted_at.is_none());
        let present = milestone_seen(stored.map(|stored| (stored.date, stored.excluded)));
        if present != seen && present != wanted {
            return Err(Refusal::changed_meanwhile().into());
        }
        let Some(requested) = &requested else {
            milestones::withdraw_milestone(write, author, listing, kind)?;
            return Ok(lead_to(listing, Notice::Withdrawn));
        };
        milestones::record_milestone(write, author, listing, kind, requested)?;
        Ok(lead_to(listing, Notice::Recorded))
    });
    changing.await
}

/// The record of a milestone with this date.
fn request(
    console: &Console,
    kind: &MilestoneType,
    date: &str,
    is_excluded: bool,
) -> Result<RequestedRecord, Problem> {
    let days = milestones::list_days(kind, console.clock.now_seconds())?;
    let date = read_date(date).and_then(|date| {
        milestones::check_day(date, &days)?;
        Ok(date)
    });
    Ok(RequestedRecord {
        date: date.map_err(|detail| Problem::value_invalid("date", detail))?,
        completed_at: None,
        origin: None,
        excluded: Some(is_excluded),
    })
}
