//! `POST {console_url}/listings/{listing}/details`: changes the details of a sale.

use std::sync::Arc;

use ::console::listing::Details;
use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};

use super::conclude;
use crate::console::Console;
use crate::console::forms::{PostedForm, outcome};
use crate::console::frames::{Notice, field_problems};
use crate::console::session::SignedIn;
use crate::listing_management::caller::BranchCaller;
use crate::listing_management::segments::Segments;
use crate::problem::Problem;
use crate::routes::listing::update_listing;

/// Changes the details as document 2's call does.
pub(crate) async fn change_details(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
    form: PostedForm,
) -> Result<Response, Problem> {
    let listing = segments.listing(0)?;
    let typed = read_details(&form);
    let mut body = facts(&form, &typed);
    let known = console.listing_page(&signed_in, listing).await?.details;
    leave_unchanged(&mut body, &known, &typed);
    body["is_locked"] = Value::from(typed.is_locked);
    let call = form.call(&body)?;
    let caller = BranchCaller::of_person(&signed_in)?;
    let management = State(Arc::clone(&console.management));
    let saved = outcome(update_listing(management, caller, segments, call).await).await;
    let saved = saved.map(|_answer| Notice::Saved);
    conclude(&console, &signed_in, listing, saved, |page, problem| {
        page.frame.problems = field_problems(problem, |member| id_of("details-", member));
        page.details = typed;
    })
    .await
}

/// Removes texts that the form only repeats. A reference that is there cannot be changed. A text of an
/// older store may have characters that the page shows by their numbers (S-96), and keeps them.
fn leave_unchanged(body: &mut Value, known: &Details, typed: &Details) {
    let is_repeated = |known: &str, typed: &str| unicode::visible(known) == typed;
    if is_repeated(&known.external_id, &typed.external_id) {
        body.as_object_mut().map(|body| body.remove("external_id"));
    }
    let parties = body.get_mut("parties").and_then(Value::as_object_mut);
    let Some(parties) = parties else { return };
    for (name, known, typed) in [
        (
            "sellerConveyancer",
            &known.seller_conveyancer,
            &typed.seller_conveyancer,
        ),
        (
            "buyerConveyancer",
            &known.buyer_conveyancer,
            &typed.buyer_conveyancer,
        ),
    ] {
        if known != typed && is_repeated(known, typed) {
            parties.remove(name);
        }
    }
}

/// The id of the field that holds a member of document 2's body.
pub(in crate::routes::console) fn id_of(prefix: &str, member: &str) -> String {
    let field = match member {
        "parties.sellerConveyancer" => "seller_conveyancer",
        "parties.buyerConveyancer" => "buyer_conveyancer",
        "address.postTown" => "post_town",
        other => other.rsplit('.').next().unwrap_or(other),
    };
    format!("{prefix}{field}")
}

/// The values typed.
pub(in crate::routes::console) fn read_details(form: &PostedForm) -> Details {
    let text = |name: &str| form.text(name).to_owned();
    let types = form.texts("transaction_type");
    Details {
        price: text("price"),
        tenure: text("tenure"),
        transaction_types: types.into_iter().map(str::to_owned).collect(),
        seller_conveyancer: text("seller_conveyancer"),
        buyer_conveyancer: text("buyer_conveyancer"),
        external_id: text("external_id"),
        is_locked: form.text("is_locked") == "1",
    }
}

/// The members of document 2's body that describe a sale.
pub(in crate::routes::console) fn facts(form: &PostedForm, typed: &Details) -> Value {
    let mut body = json!({
        "price": form.number("price"),
        "tenure": typed.tenure,
        "transaction_type": typed.transaction_types,
        "parties": {
            "sellerConveyancer": typed.seller_conveyancer,
            "buyerConveyancer": typed.buyer_conveyancer,
        },
    });
    if !typed.external_id.is_empty() {
        body["external_id"] = Value::from(typed.external_id.clone());
    }
    body
}
