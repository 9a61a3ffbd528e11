//! `POST {console_url}/chase/{listing}/snooze`: leaves a sale out of the list until a day.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use chain::ids::ListingId;
use console::chase::TypedSnooze;
use console::render;
use forecast::day::Day;
use jiff::civil::Date;
use listing_management::listings::find_own_listing;
use storage::chase;
use web::problem::Problem;
use web::segments::Segments;
use web::values::take;

use super::{filter_of_form, make_page};
use crate::Console;
use crate::forms::PostedForm;
use crate::frames::{Notice, field_problems, show_as};
use crate::limits;
use crate::session::SignedIn;

/// Snoozes a sale, or shows the list with the refused fields and the values typed.
pub(crate) async fn snooze_sale(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
    form: PostedForm,
) -> Result<Response, Problem> {
    let listing = segments.listing(0)?;
    let filter = filter_of_form(form.text("filter"));
    let typed = TypedSnooze {
        listing,
        until: form.text("until").to_owned(),
        reason: form.text("reason").to_owned(),
    };
    let problem = match store(&console, &signed_in, listing, &typed).await {
        Ok(()) => {
            let path = format!("/chase{}", filter.query());
            return Ok(Notice::Snoozed.at(&path).into_response());
        }
        Err(problem @ Problem::ValuesInvalid(_)) => problem,
        Err(problem) => return Err(problem),
    };
    let mut page = make_page(&console, &signed_in, filter).await?;
    page.frame.problems = field_problems(&problem, |field| format!("snooze-{listing}-{field}"));
    page.typed = Some(typed);
    show_as(problem.status_and_title().0, render(&page))
}

async fn store(
    console: &Console,
    signed_in: &SignedIn,
    listing: ListingId,
    typed: &TypedSnooze,
) -> Result<(), Problem> {
    let caller = signed_in.branch_caller()?;
    let person = signed_in.person().id;
    let (values, today) = (typed.clone(), console.today().into());
    console
        .write_own(signed_in, move |write| {
            // The branch first: to others, the list of errors would say that the listing exists.
            find_own_listing(write, &caller, listing)?;
            let (until, reason) = read_typed(&values, today)?;
            chase::snooze_sale(write, listing, person, until, &reason)?;
            Ok(())
        })
        .await
}

/// Reads the day and the reason. The first day without snoozing is tomorrow at the earliest.
fn read_typed(typed: &TypedSnooze, today: Day) -> Result<(Date, String), Problem> {
    let mut errors = Vec::new();
    let [first, last] = [1, limits::SNOOZE_DAYS_MAX].map(|days| today.plus(days).date());
    let until = typed.until.parse().ok();
    let until = until.filter(|day: &Date| (first..=last).contains(day));
    let until = until.ok_or_else(|| format!("choose a day from {first} to {last}"));
    let until = take(until, "until", &mut errors);
    let reason = take(read_reason(&typed.reason), "reason", &mut errors);
    until.zip(reason).ok_or(Problem::ValuesInvalid(errors))
}

fn read_reason(text: &str) -> Result<String, String> {
    let longest = limits::SNOOZE_REASON_CHARACTERS_MAX;
    let unfit = || format!("give a reason of 1 to {longest} characters on one line");
    if text.contains(['\r', '\n']) {
        return Err(unfit());
    }
    let text = unicode::clean(text).map_err(|fault| fault.to_string())?;
    // A selector that is removed may have hidden a space.
    let text = text.trim();
    let is_fit = (1..=longest).contains(&text.chars().count());
    is_fit.then(|| text.to_owned()).ok_or_else(unfit)
}
