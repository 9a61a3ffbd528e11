//! `POST {console_url}/account/sessions/{id}/end`: ends one own session.

use std::sync::Arc;

use axum::extract::State;
use storage::{Write, sessions};
use web::problem::Problem;
use web::segments::Segments;

use crate::Console;
use crate::frames::{Destination, Notice};
use crate::session::SignedIn;

/// Ends the session. Sessions of other people are left alone.
pub(crate) async fn end_session(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
) -> Result<Destination, Problem> {
    let person = signed_in.person().id;
    let session = segments.number(0).unwrap_or_default();
    let end = move |write: &mut Write<'_>| sessions::delete_session(write, person, session);
    if !console.storage.write(end).await? {
        return Err(Problem::NotFound(
            "You have no such session. It has ended already.",
        ));
    }
    Ok(Notice::SessionEnded.at("/account"))
}
