//! `POST {console_url}/listings/{listing}/details`: changes the details of a sale.

use axum::response::Response;
use console::frame::FieldProblem;
use console::listing::Details;
use listing_management::listing_fields::{
    ListingChanges, check_price, read_external_id, read_tenure, read_transaction_types,
};
use listing_management::listing_writes::update_listing;
use listing_management::listings::find_own_listing;
use web::page::refuse_errors;
use web::problem::{FieldError, Problem};
use web::refusal::Refusal;
use web::values::{read_optional, take};

use super::{SaleForm, is_of_older_state, lead_to};
use crate::forms::PostedForm;
use crate::frames::{Destination, Notice, field_problems};
use crate::listing_pages::to_details;

/// Changes the details as document 2's call does. Refuses a form that does not name the present details, unless
/// they are already as the form wants them.
pub(crate) async fn change_details(sale: SaleForm) -> Result<Response, Problem> {
    let typed = read_details(&sale.form);
    let known = sale.console.listing_page(&sale.signed_in, sale.listing);
    let known = known.await?.details;
    let saved = save(&sale, &known).await;
    sale.conclude(saved, |page, problem| {
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

async fn save(sale: &SaleForm, known: &Details) -> Result<Destination, Problem> {
    let (listing, form) = (sale.listing, &sale.form);
    let typed = read_details(form);
    let mut errors = Vec::new();
    let changes = ListingChanges {
        is_locked: Some(typed.is_locked),
        ..read_changes(form, Some(known), &mut errors)
    };
    refuse_errors(errors)?;
    let saving = sale.write_as_it_is(move |write, author| {
        let stored = to_details(&find_own_listing(write, author.caller, listing)?);
        if stored.seen != typed.seen && !differences(&stored, &typed).is_empty() {
            return Err(Refusal::changed_meanwhile().into());
        }
        update_listing(write, author, listing, &changes)?;
        Ok(lead_to(listing, Notice::Saved))
    });
    saving.await
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

/// The id of the field that holds a member of document 2's body.
pub(in crate::pages) fn id_of(prefix: &str, member: &str) -> String {
    let field = match member {
        "address" | "address_id" => "line1",
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

/// The facts that a form describes. A text that only repeats the known one is left out: a reference that is
/// there cannot be changed, and a text of an older store may have characters that the page shows by their
/// numbers (S-96).
pub(in crate::pages) fn read_changes(
    form: &PostedForm,
    known: Option<&Details>,
    errors: &mut Vec<FieldError>,
) -> ListingChanges {
    let price = take(check_price(form.number("price")), "price", errors);
    let kinds = read_transaction_types(&form.texts("transaction_type"));
    let mut read =
        |name: &str, known: Option<&String>, rule: fn(&str) -> Result<String, String>| {
            let typed = form.text(name);
            if known.is_some_and(|known| unicode::visible(known) == typed) {
                return None;
            }
            take(rule(typed), name, errors)
        };
    let tenure = read("tenure", None, read_tenure);
    let external_id = match form.text("external_id") {
        "" => None,
        _typed => read(
            "external_id",
            known.map(|known| &known.external_id),
            read_external_id,
        ),
    };
    let [seller, buyer] = [
        known.map(|known| &known.seller_conveyancer),
        known.map(|known| &known.buyer_conveyancer),
    ];
    let seller_conveyancer = read("seller_conveyancer", seller, read_optional);
    let buyer_conveyancer = read("buyer_conveyancer", buyer, read_optional);
    ListingChanges {
        price,
        tenure,
        transaction_type: take(kinds, "transaction_type", errors),
        seller_conveyancer,
        buyer_conveyancer,
        external_id,
        ..ListingChanges::default()
    }
}
