//! `POST {console_url}/account/end-all`: ends all own sessions.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::header;
use storage::{Write, sessions};
use web::problem::Problem;

use crate::Console;
use crate::frames::Notice;
use crate::session::{SignedIn, no_session_cookie};

/// Signs the person out everywhere.
pub(crate) async fn end_sessions(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
) -> Result<Response, Problem> {
    let person = signed_in.person().id;
    let end = move |write: &mut Write<'_>| sessions::delete_sessions(write, person);
    console.storage.write(end).await?;
    let mut response = Notice::SignedOut.at("/sign-in").into_response();
    let cookie = no_session_cookie(console.site.is_secure());
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(response)
}
