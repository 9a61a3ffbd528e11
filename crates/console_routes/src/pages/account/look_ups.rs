//! `GET {console_url}/account/look-ups`: the look-ups of the viewer's organisation.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use console::account::{LookUp, LookUpsPage};
use console::frame::Section;
use console::render;
use http::Uri;
use storage::accesses::list_look_ups_of_colleagues;
use web::form::Form;
use web::problem::Problem;

use crate::Console;
use crate::frames::show;
use crate::session::SignedIn;
use crate::times::moment;

/// Look-ups on one page.
const LINES: i64 = 100;

/// Shows a page of look-ups, the newest first.
pub(crate) async fn show_look_ups(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    uri: Uri,
) -> Result<Response, Problem> {
    if !signed_in.role().may_look_up() {
        return Err(Problem::NotAllowed(
            "Lenders and conveyancers have look-ups.",
        ));
    }
    let query = Form::parse_urlencoded(uri.query().unwrap_or_default().as_bytes())?;
    let before = query.find("before").and_then(|text| text.parse().ok());
    let before = before.unwrap_or(i64::MAX);
    let person = signed_in.person().id;
    let found = console
        .storage
        .read(move |read| list_look_ups_of_colleagues(read, person, before, LINES))
        .await?;
    let is_full = i64::try_from(found.len()).is_ok_and(|count| count >= LINES);
    let next = found.last().map(|one| one.id).filter(|_id| is_full);
    let look_ups = found.into_iter().map(|one| LookUp {
        at: moment(one.at),
        by: one.person,
        address: one.address,
        uprn: one.uprn,
    });
    let page = LookUpsPage {
        frame: console.frame(Some(&signed_in), Section::Account),
        look_ups: look_ups.collect(),
        next,
    };
    show(render(&page))
}
