//! `GET {console_url}/`: leads each person to the page with which the day begins.

use axum::response::Redirect;

use crate::role::Role;
use crate::session::SignedIn;

/// Leads to the first page of the person's role.
pub(crate) async fn lead_home(signed_in: SignedIn) -> Redirect {
    Redirect::to(match signed_in.role() {
        Role::Progressor => "/chase",
        Role::Lender | Role::Conveyancer => "/search",
        Role::Integrator | Role::Operator => "/account",
    })
}
