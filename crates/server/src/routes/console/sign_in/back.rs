//! `GET {console_url}/sign-in/back`: the provider sends the browser here.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};
use http::{HeaderMap, Uri, header};
use storage::sessions::StoredSession;

use crate::console::Console;
use crate::console::open_id::SignInRefusal;
use crate::console::session::{NewSession, SignedIn, session_cookie};
use crate::console::sign_in::{self, no_sign_in_cookie, read_sign_in};
use crate::form::Form;
use crate::problem::Problem;
use crate::secret::NewSecret;

/// Checks the provider's answer and begins a session.
pub(crate) async fn finish(
    State(console): State<Arc<Console>>,
    signed_in: Option<SignedIn>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let older = signed_in.map(|signed_in| *signed_in.session());
    let mut response = match sign_in(&console, older, &uri, &headers).await {
        Ok(response) => response,
        Err(problem) => problem.into_response(),
    };
    // A sign-in ends once, so that its answer cannot be sent again.
    let cookie = no_sign_in_cookie(console.site.is_secure());
    response.headers_mut().append(header::SET_COOKIE, cookie);
    response
}

async fn sign_in(
    console: &Console,
    older: Option<StoredSession>,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let open_id = console.open_id.as_ref().ok_or(Problem::NoSuchPath)?;
    let secure = console.site.is_secure();
    let answer = Form::parse_urlencoded(uri.query().unwrap_or_default().as_bytes())?;
    let begun = read_sign_in(secure, headers);
    let (secret_of_begun, invitation, to) = match begun {
        Some(begun) => (Some(begun.begun), begun.invitation, begun.to),
        None => (None, None, "/".to_owned()),
    };
    let now = console.clock.now_seconds();
    let account = open_id
        .finish(secret_of_begun, &answer, now)
        .await
        .map_err(|refusal| to_problem(&refusal))?;
    let secret = NewSecret::draw().map_err(|error| Problem::Internal(error.to_string()))?;
    let cookie = session_cookie(secure, &secret);
    let session = NewSession { secret, older, now };
    console
        .storage
        .write(move |write| sign_in::finish(write, &account, invitation.as_deref(), &session))
        .await?;
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to(&to)).into_response())
}

/// The reason stands in the log. The page tells what to do.
fn to_problem(refusal: &SignInRefusal) -> Problem {
    tracing::info!(event = "sign_in_refused", reason = %refusal, "nobody was signed in");
    match refusal {
        SignInRefusal::WrongState => Problem::NotAllowed(
            "This sign-in was not begun in this browser, or it has ended. Sign in again.",
        ),
        SignInRefusal::WrongIssuer | SignInRefusal::IdToken(_) => Problem::NotAllowed(
            "The answer of the provider is not valid. Sign in again, or tell the operator.",
        ),
        SignInRefusal::Refused(_) => {
            Problem::NotAllowed("The provider did not sign you in. Sign in again.")
        }
        SignInRefusal::Provider(_) | SignInRefusal::NoToken(_) | SignInRefusal::Keys(_) => {
            Problem::Unavailable(10, refusal.to_string())
        }
    }
}
