//! `GET {console_url}/listings/new` and `POST {console_url}/listings`: adds a sale.

use std::sync::Arc;

use axum::body::to_bytes;
use axum::extract::State;
use axum::response::Response;
use chain::ids::ListingId;
use console::frame::Section;
use console::listing::{NewListing, NewListingPage};
use console::render;
use http::StatusCode;
use listing_management::routes::listing::create_listing;
use serde_json::{Value, json};
use web::problem::Problem;

use super::details::{facts, id_of, read_details};
use crate::Console;
use crate::forms::{PostedForm, outcome};
use crate::frames::{Notice, field_problems, show_as};
use crate::pages::chains::list_branches;
use crate::session::SignedIn;

/// Shows the empty form.
pub(crate) async fn show_form(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
) -> Result<Response, Problem> {
    page(&console, &signed_in, NewListing::default(), None).await
}

/// Adds a sale as document 2's call does.
pub(crate) async fn add_listing(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    form: PostedForm,
) -> Result<Response, Problem> {
    let caller = signed_in.branch_caller()?;
    let typed = read(&form);
    let mut body = facts(&form, &typed.details);
    body["branch_id"] = form.number("branch_id");
    body["address"] = address(&form, &typed);
    let call = form.call(&body)?;
    let management = State(Arc::clone(&console.management));
    match outcome(create_listing(management, caller, call).await).await {
        Ok(answer) => {
            let id = read_id(answer).await?;
            Ok(Notice::Saved.redirect(&format!("/listings/{id}")))
        }
        Err(problem) => page(&console, &signed_in, typed, Some(problem)).await,
    }
}

async fn page(
    console: &Console,
    signed_in: &SignedIn,
    typed: NewListing,
    refused: Option<Problem>,
) -> Result<Response, Problem> {
    let caller = signed_in.branch_caller()?;
    let branches = console
        .storage
        .read(move |read| list_branches(read, caller.branches()))
        .await?;
    let mut frame = console.frame(Some(signed_in), Section::Chains);
    let mut status = StatusCode::OK;
    if let Some(problem) = &refused {
        frame.problems = field_problems(problem, |member| id_of("new-", member));
        status = problem.status_and_title().0;
    }
    let page = NewListingPage {
        frame,
        branches,
        typed,
    };
    show_as(status, render(&page))
}

fn read(form: &PostedForm) -> NewListing {
    let text = |name: &str| form.text(name).to_owned();
    NewListing {
        branch: text("branch_id"),
        line1: text("line1"),
        line2: text("line2"),
        line3: text("line3"),
        line4: text("line4"),
        post_town: text("post_town"),
        postcode: text("postcode"),
        uprn: text("uprn"),
        details: read_details(form),
    }
}

/// The member `address` of document 2's body, without empty lines.
fn address(form: &PostedForm, typed: &NewListing) -> Value {
    let mut address = json!({
        "line1": typed.line1,
        "postTown": typed.post_town,
        "postcode": typed.postcode,
    });
    let others = [
        ("line2", &typed.line2),
        ("line3", &typed.line3),
        ("line4", &typed.line4),
    ];
    for (name, line) in others.into_iter().filter(|(_name, line)| !line.is_empty()) {
        address[name] = Value::from(line.clone());
    }
    if !typed.uprn.is_empty() {
        address["uprn"] = form.number("uprn");
    }
    address
}

/// The id of the sale in document 2's answer.
async fn read_id(answer: Response) -> Result<ListingId, Problem> {
    let body = to_bytes(answer.into_body(), web::limits::JSON_BODY_BYTES_MAX)
        .await
        .map_err(|error| Problem::Internal(error.to_string()))?;
    let body: Value =
        serde_json::from_slice(&body).map_err(|error| Problem::Internal(error.to_string()))?;
    let id = body.pointer("/data/id").and_then(Value::as_i64);
    let id = id.ok_or_else(|| Problem::Internal("an answer without an id".to_owned()))?;
    Ok(ListingId(id))
}
