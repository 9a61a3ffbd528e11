//! `POST {console_url}/listings/{listing}/ends`: confirms an end of the chain, or takes it back.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use chain::ends::{End, UncheckReason};
use listing_management::ends::{self, Finding};
use listing_management::recording::{self, Reply};
use web::problem::{FieldError, Problem};
use web::segments::Segments;

use super::{conclude, refuse_at};
use crate::Console;
use crate::forms::{PostedForm, outcome};
use crate::frames::Notice;
use crate::session::SignedIn;

/// Marks the end of the chain of one of the viewer's sales (S-44, S-45).
pub(crate) async fn mark_end(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
    form: PostedForm,
) -> Result<Response, Problem> {
    let listing = segments.listing(0)?;
    let caller = signed_in.branch_caller()?;
    let end = match form.text("end") {
        "top" => End::Top,
        _bottom => End::Bottom,
    };
    let marked = match read_finding(&form) {
        Ok((finding, notice)) => {
            let call = form.repeatable_call()?;
            let marking =
                recording::record(&console.management, caller, call, move |write, author| {
                    ends::mark_end_of_listing(write, author, listing, end, finding)?;
                    Reply::success()
                });
            outcome(marking.await).await.map(|_answer| notice)
        }
        Err(problem) => Err(problem),
    };
    let page = console.listing_page(&signed_in, listing).await?;
    if let (Ok(notice), "chain") = (&marked, form.text("from")) {
        return Ok(notice.redirect(&format!("/chains/{}", page.chain)));
    }
    conclude(&console, &signed_in, listing, marked, |page, problem| {
        refuse_at(page, problem, &format!("end-{}-reason", end.as_str()));
    })
    .await
}

fn read_finding(form: &PostedForm) -> Result<(Finding, Notice), Problem> {
    if form.text("action") == "check" {
        return Ok((Finding::Checked, Notice::Checked));
    }
    let reason = UncheckReason::parse(form.text("reason")).ok_or_else(|| {
        Problem::ValuesInvalid(vec![FieldError {
            pointer: "reason".to_owned(),
            detail: "choose a reason".to_owned(),
        }])
    })?;
    Ok((Finding::Unchecked(reason), Notice::Unchecked))
}
