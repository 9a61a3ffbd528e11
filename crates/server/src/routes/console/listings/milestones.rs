//! `POST {console_url}/listings/{listing}/milestones/{key}`: records, excludes or withdraws a milestone.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::json;

use super::{conclude, refuse_at};
use crate::console::Console;
use crate::console::forms::{PostedForm, outcome};
use crate::console::frames::Notice;
use crate::console::session::SignedIn;
use crate::listing_management::caller::BranchCaller;
use crate::listing_management::segments::Segments;
use crate::problem::{FieldError, Problem};
use crate::routes::listing::milestone::{record_milestone, withdraw_milestone};

/// Changes a milestone as document 2's call does.
pub(crate) async fn change_milestone(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
    form: PostedForm,
) -> Result<Response, Problem> {
    let listing = segments.listing(0)?;
    let kind = segments.milestone_type_by_key(1)?;
    let changed = change(&console, &signed_in, segments, &form).await;
    conclude(&console, &signed_in, listing, changed, |page, problem| {
        refuse_at(page, problem, &format!("milestone-{}-date", kind.key));
        let mut entries = page.milestones.iter_mut();
        if let Some(entry) = entries.find(|entry| entry.milestone.id == kind.id) {
            entry.typed = Some(form.text("date").to_owned());
        }
    })
    .await
}

async fn change(
    console: &Console,
    signed_in: &SignedIn,
    segments: Segments,
    form: &PostedForm,
) -> Result<Notice, Problem> {
    let caller = BranchCaller::of_person(signed_in)?;
    let management = State(Arc::clone(&console.management));
    let date = form.text("date");
    match form.text("action") {
        "withdraw" => {
            let call = form.call(&json!({}))?;
            outcome(withdraw_milestone(management, caller, segments, call).await).await?;
            Ok(Notice::Withdrawn)
        }
        "exclude" => {
            // Document 2 asks for a date. A milestone that nobody needs has none of its own.
            let today = console.today().to_string();
            let date = if date.is_empty() { &today } else { date };
            let call = form.call(&json!({ "date": date, "excluded": true }))?;
            outcome(record_milestone(management, caller, segments, call).await).await?;
            Ok(Notice::Recorded)
        }
        "record" => {
            let call = form.call(&json!({ "date": date, "excluded": false }))?;
            outcome(record_milestone(management, caller, segments, call).await).await?;
            Ok(Notice::Recorded)
        }
        _other => Err(Problem::ValuesInvalid(vec![FieldError {
            pointer: "date".to_owned(),
            detail: "choose to record, to leave out or to withdraw".to_owned(),
        }])),
    }
}
