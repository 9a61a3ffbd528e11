//! `GET {console_url}/sign-in/back`: the provider sends the browser here.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};
use http::{HeaderMap, Uri, header};
use storage::Write;
use storage::sessions::StoredSession;
use web::form::Form;
use web::problem::Problem;
use web::secret::NewSecret;

use crate::Console;
use crate::open_id::{OpenId, Place, SignInRefusal};
use crate::session::{NewSession, SignedIn, session_cookie};
use crate::sign_in::{self, SignIn, no_sign_in_cookie, read_sign_in};

/// When a browser may try again after too many sign-ins.
const BUSY_SECONDS: u64 = 2;

/// Checks the provider's answer and begins a session.
pub(crate) async fn finish(
    State(console): State<Arc<Console>>,
    signed_in: Option<SignedIn>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let older = signed_in.map(|signed_in| *signed_in.session());
    let outcome = match claim(&console, &uri, &headers).await {
        // The sign-in is not used up. Another one may be under way in this browser.
        Err(problem) => return problem.into_response(),
        Ok(claimed) => sign_in(&console, older, claimed).await,
    };
    let mut response = outcome.unwrap_or_else(Problem::into_response);
    let cookie = no_sign_in_cookie(console.site.is_secure());
    response.headers_mut().append(header::SET_COOKIE, cookie);
    response
}

/// A sign-in that began in this browser and was not used before. It may call the provider once.
struct Claimed<'c> {
    open_id: &'c OpenId,
    begun: SignIn,
    answer: Form,
    place: Place,
}

/// Uses up the sign-in of this browser. Nobody reaches the provider without one.
async fn claim<'c>(
    console: &'c Console,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<Claimed<'c>, Problem> {
    let open_id = console.open_id.as_deref().ok_or(Problem::NoSuchPath)?;
    let answer = Form::parse_urlencoded(uri.query().unwrap_or_default().as_bytes())?;
    let (secure, now) = (console.site.is_secure(), console.clock.now_seconds());
    let begun = read_sign_in(secure, headers, open_id.authenticator(), now);
    let refused = |refusal| to_problem(open_id, &refusal);
    let begun = begun.ok_or_else(|| refused(SignInRefusal::WrongState))?;
    OpenId::check_state(&begun.begun, &answer).map_err(refused)?;
    let place = open_id.take_place().map_err(refused)?;
    let used = begun.clone();
    let use_up = move |write: &mut Write<'_>| sign_in::use_up(write, &used);
    if !console.storage.write(use_up).await? {
        return Err(refused(SignInRefusal::Used));
    }
    Ok(Claimed {
        open_id,
        begun,
        answer,
        place,
    })
}

async fn sign_in(
    console: &Console,
    older: Option<StoredSession>,
    claimed: Claimed<'_>,
) -> Result<Response, Problem> {
    let Claimed {
        open_id,
        begun,
        answer,
        place,
    } = claimed;
    let account = open_id
        .finish(&begun.begun, &answer, place)
        .await
        .map_err(|refusal| to_problem(open_id, &refusal))?;
    let secret = NewSecret::draw().map_err(|error| Problem::Internal(error.to_string()))?;
    let cookie = session_cookie(console.site.is_secure(), &secret);
    let session = NewSession {
        secret,
        older,
        now: console.clock.now_seconds(),
    };
    let invitation = begun.invitation;
    console
        .storage
        .write(move |write| sign_in::finish(write, &account, invitation.as_deref(), &session))
        .await?;
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to(&begun.to)).into_response())
}

/// The reason stands in the log. The page tells what to do.
fn to_problem(open_id: &OpenId, refusal: &SignInRefusal) -> Problem {
    open_id.note_refusal(refusal);
    match refusal {
        SignInRefusal::WrongState | SignInRefusal::Used => Problem::NotAllowed(
            "This sign-in was not begun in this browser, or it has ended. Sign in again.",
        ),
        SignInRefusal::WrongIssuer | SignInRefusal::IdToken(_) => Problem::NotAllowed(
            "The answer of the provider is not valid. Sign in again, or tell the operator.",
        ),
        SignInRefusal::Refused(_) => {
            Problem::NotAllowed("The provider did not sign you in. Sign in again.")
        }
        SignInRefusal::Busy => Problem::Unavailable(BUSY_SECONDS, refusal.to_string()),
        SignInRefusal::Provider(_) | SignInRefusal::NoToken(_) | SignInRefusal::Keys(_) => {
            // The sign-in is used up, so loading this page again would not help.
            Problem::NotAllowed("The provider did not answer as it should. Sign in again.")
        }
    }
}
