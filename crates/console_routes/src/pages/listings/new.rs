//! `GET {console_url}/listings/new` and `POST {console_url}/listings`: adds a sale.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use chain::ids::BranchId;
use console::frame::Section;
use console::listing::{NewListing, NewListingPage};
use console::render;
use http::StatusCode;
use listing_management::listing_fields::{
    self, Place, PlaceAddress, check_uprn, join_address, read_postcode,
};
use listing_management::listing_writes::store_listing;
use listing_management::quotas::Allowance;
use web::page::refuse_errors;
use web::problem::{FieldError, Problem};
use web::values::{check_id, read_filled, read_optional, take};

use super::details::{id_of, read_changes, read_details};
use super::lead_to;
use crate::Console;
use crate::forms::PostedForm;
use crate::frames::{Destination, Notice, field_problems, show_as};
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
    match add(&console, &signed_in, &form).await {
        Ok(destination) => Ok(destination.into_response()),
        Err(problem) => page(&console, &signed_in, read_typed(&form), Some(problem)).await,
    }
}

async fn add(
    console: &Console,
    signed_in: &SignedIn,
    form: &PostedForm,
) -> Result<Destination, Problem> {
    let key = form.key()?;
    let mut errors = Vec::new();
    let place = read_place(form, &mut errors);
    let branch = check_id(form.number("branch_id")).map(BranchId);
    let branch = take(branch, "branch_id", &mut errors);
    let facts = read_changes(form, None, &mut errors);
    refuse_errors(errors)?;
    let new = listing_fields::NewListing::of_parts(place, branch, facts)?;
    let allowance = Allowance::count(&console.management, new.branch).await?;
    let adding = console.write(signed_in, Some(key), move |write, author| {
        let stored = store_listing(write, author, &new, &allowance)?;
        Ok(lead_to(stored.listing, Notice::Saved))
    });
    adding.await
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

fn read_typed(form: &PostedForm) -> NewListing {
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

fn read_place(form: &PostedForm, errors: &mut Vec<FieldError>) -> Option<Place> {
    let mut read = |name: &str, rule: fn(&str) -> Result<String, String>| {
        take(rule(form.text(name)), name, errors)
    };
    let line1 = read("line1", read_filled);
    let post_town = read("post_town", read_filled);
    let [line2, line3, line4] = ["line2", "line3", "line4"].map(|name| read(name, read_optional));
    let postcode = read("postcode", read_postcode);
    let uprn = match form.text("uprn") {
        "" => None,
        _typed => take(check_uprn(form.number("uprn")), "uprn", errors)?,
    };
    let street = [line1?, line2?, line3?, line4?];
    let address = take(join_address(street, post_town?, postcode?), "line1", errors)?;
    Some(Place::Address(PlaceAddress { address, uprn }))
}
