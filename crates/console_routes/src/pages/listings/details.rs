//! `POST {console_url}/listings/{listing}/details`: changes the details of a sale.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use console::frame::FieldProblem;
use console::listing::Details;
use listing_management::listings::find_own_listing;
use listing_management::routes::listing::update_listing;
use serde_json::{Value, json};
use web::problem::Problem;
use web::refusal::Refusal;
use web::segments::Segments;

use super::{conclude, is_of_older_state};
use crate::Console;
use crate::forms::{PostedForm, outcome};
use crate::frames::{Notice, field_problems};
use crate::listing_pages::to_details;
use crate::session::SignedIn;

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
    let mut call = form.call(&body)?;
    if form.find("seen").is_some() {
        let wanted = typed.clone();
        call = call.only_if(move |write, author| {
            let stored = to_details(&find_own_listing(write, author.caller, listing)?);
            if stored.seen == wanted.seen || differences(&stored, &wanted).is_empty() {
                Ok(())
            } else {
                Err(Refusal::changed_meanwhile().into())
            }
        });
    }
    let caller = signed_in.branch_caller()?;
    let management = State(Arc::clone(&console.management));
    let saved = outcome(update_listing(management, caller, segments, call).await).await;
    let saved = saved.map(|_answer| Notice::Saved);
    conclude(&console, &signed_in, listing, saved, |page, problem| {
        page.frame.problems = field_problems(problem, |member| id_of("details-", member));
        let is_newer = is_of_older_state(problem);
        if is_newer {
            page.frame.problems = differences(&page.details, &typed);
        }
        // The next form is of the state that this page shows.
        let seen = std::mem::take(&mut page.details.seen);
        page.details = Details {
            seen,
            is_newer,
            ..typed
        };
    })
    .await
}

/// The fields in which the stored details and the typed ones differ, with both values.
fn differences(stored: &Details, typed: &Details) -> Vec<FieldProblem> {
    let purchase = |details: &Details| {
        let mut kinds = details.transaction_types.clone();
        kinds.sort_unstable();
        kinds.join(", ")
    };
    let lock = |details: &Details| if details.is_locked { "locked" } else { "open" }.to_owned();
    let price = |details: &Details| details.price.replace([',', ' ', '£'], "");
    let fields = [
        ("price", "The price", price(stored), price(typed)),
        (
            "tenure",
            "The tenure",
            stored.tenure.clone(),
            typed.tenure.clone(),
        ),
        (
            "transaction_type",
            "The kind of purchase",
            purchase(stored),
            purchase(typed),
        ),
        (
            "seller_conveyancer",
            "The seller’s conveyancer",
            stored.seller_conveyancer.clone(),
            typed.seller_conveyancer.clone(),
        ),
        (
            "buyer_conveyancer",
            "The buyer’s conveyancer",
            stored.buyer_conveyancer.clone(),
            typed.buyer_conveyancer.clone(),
        ),
        (
            "external_id",
            "Your own reference",
            stored.external_id.clone(),
            typed.external_id.clone(),
        ),
        ("is_locked", "The lock", lock(stored), lock(typed)),
    ];
    let differing = fields
        .into_iter()
        .filter(|(_, _, stored, typed)| unicode::visible(stored) != typed.as_str());
    let to_problem = |(field, name, stored, typed): (&str, &str, String, String)| FieldProblem {
        field: format!("details-{field}"),
        detail: format!(
            "{name} is now {}, because somebody else saved since you opened the page. You chose {}. Save \
             again to replace it.",
            shown(&stored),
            shown(&typed)
        ),
    };
    differing.map(to_problem).collect()
}

fn shown(value: &str) -> String {
    if value.is_empty() {
        "empty".to_owned()
    } else {
        format!("“{value}”")
    }
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
pub(in crate::pages) fn id_of(prefix: &str, member: &str) -> String {
    let field = match member {
        "parties.sellerConveyancer" => "seller_conveyancer",
        "parties.buyerConveyancer" => "buyer_conveyancer",
        "address.postTown" => "post_town",
        other => other.rsplit('.').next().unwrap_or(other),
    };
    format!("{prefix}{field}")
}

/// The values typed.
pub(in crate::pages) fn read_details(form: &PostedForm) -> Details {
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
        seen: text("seen"),
        is_newer: false,
    }
}

/// The members of document 2's body that describe a sale.
pub(in crate::pages) fn facts(form: &PostedForm, typed: &Details) -> Value {
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
