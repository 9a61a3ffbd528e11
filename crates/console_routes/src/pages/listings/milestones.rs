//! `POST {console_url}/listings/{listing}/milestones/{key}`: records, excludes or withdraws a milestone.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chain::ids::ListingId;
use chain::milestone::MilestoneType;
use console::listing::milestone_seen;
use listing_management::listings::find_own_listing;
use listing_management::routes::listing::milestone::{record_milestone, withdraw_milestone};
use listing_management::write_request::WriteRequest;
use serde_json::{Value, json};
use web::problem::{FieldError, Problem};
use web::refusal::Refusal;
use web::segments::Segments;

use super::{conclude, is_of_older_state, refuse_at};
use crate::Console;
use crate::forms::{PostedForm, outcome};
use crate::frames::Notice;
use crate::session::SignedIn;

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

/// Refuses the form if the milestone is neither as its page showed it, nor as the form wants it.
fn only_if_seen(
    call: WriteRequest,
    form: &PostedForm,
    listing: ListingId,
    kind: &'static MilestoneType,
    wanted: String,
) -> WriteRequest {
    let Some(seen) = form.find("seen").map(str::to_owned) else {
        return call;
    };
    call.only_if(move |write, author| {
        find_own_listing(write, author.caller, listing)?;
        let stored = storage::milestones::find_milestone(write, listing, kind.id)?;
        let stored = stored.filter(|stored| stored.deleted_at.is_none());
        let present = milestone_seen(stored.map(|stored| (stored.date, stored.excluded)));
        if present == seen || present == wanted {
            Ok(())
        } else {
            Err(Refusal::changed_meanwhile().into())
        }
    })
}

async fn change(
    console: &Console,
    signed_in: &SignedIn,
    segments: Segments,
    form: &PostedForm,
) -> Result<Notice, Problem> {
    let caller = signed_in.branch_caller()?;
    let management = State(Arc::clone(&console.management));
    let (listing, kind) = (segments.listing(0)?, segments.milestone_type_by_key(1)?);
    let date = form.text("date");
    let call = |body: &Value, wanted: String| {
        let call = form.call(body)?;
        Ok::<_, Problem>(only_if_seen(call, form, listing, kind, wanted))
    };
    match form.text("action") {
        "withdraw" => {
            let call = call(&json!({}), milestone_seen(None))?;
            outcome(withdraw_milestone(management, caller, segments, call).await).await?;
            Ok(Notice::Withdrawn)
        }
        "exclude" => {
            // Document 2 asks for a date. A milestone that nobody needs has none of its own.
            let today = console.today().to_string();
            let date = if date.is_empty() { &today } else { date };
            let wanted = milestone_seen(Some((None, true)));
            let call = call(&json!({ "date": date, "excluded": true }), wanted)?;
            outcome(record_milestone(management, caller, segments, call).await).await?;
            Ok(Notice::Recorded)
        }
        "record" => {
            let call = call(&json!({ "date": date, "excluded": false }), date.to_owned())?;
            outcome(record_milestone(management, caller, segments, call).await).await?;
            Ok(Notice::Recorded)
        }
        _other => Err(Problem::ValuesInvalid(vec![FieldError {
            pointer: "date".to_owned(),
            detail: "choose to record, to leave out or to withdraw".to_owned(),
        }])),
    }
}
