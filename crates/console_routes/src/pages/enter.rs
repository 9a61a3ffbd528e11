//! `{console_url}/enter/{token}`: the page of people of a sandbox.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};
use console::account::{EnterPage, Person};
use console::frame::Section;
use console::render;
use http::{HeaderMap, header};
use signing::random;
use storage::people::{self, StoredPerson};
use web::form::Form;
use web::problem::Problem;
use web::secret::NewSecret;
use web::segments::Segments;

use crate::frames::{show, to_role};
use crate::role::Role;
use crate::session::{NewSession, SignedIn, begin_session, may_sign_in, session_cookie};
use crate::{Console, Entry};

/// Shows whom the visitor can be.
pub(crate) async fn show_people(
    State(console): State<Arc<Console>>,
    signed_in: Option<SignedIn>,
    segments: Segments,
) -> Result<Response, Problem> {
    let entry = check_token(&console, segments.text(0))?;
    let all = console.storage.read(people::list_people).await?;
    let all = all.into_iter().filter(may_sign_in);
    let page = EnterPage {
        frame: console.frame(signed_in.as_ref(), Section::Other),
        token: segments.text(0).to_owned(),
        people: all.filter_map(to_person).collect(),
        samples: entry.samples.clone(),
    };
    show(render(&page))
}

/// Signs the visitor in as one of the people.
pub(crate) async fn enter(
    State(console): State<Arc<Console>>,
    signed_in: Option<SignedIn>,
    segments: Segments,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    check_token(&console, segments.text(0))?;
    let form = Form::read(&headers, body).await?;
    let id = form.find("person").and_then(|id| id.parse().ok());
    let id: i64 = id.ok_or(Problem::NotFound("There is no such person."))?;
    let secret = NewSecret::draw().map_err(|error| Problem::Internal(error.to_string()))?;
    let cookie = session_cookie(console.site.is_secure(), &secret);
    let session = NewSession {
        secret,
        older: signed_in.map(|signed_in| *signed_in.session()),
        now: console.clock.now_seconds(),
    };
    console
        .storage
        .write(move |write| {
            let person = people::find_person(write, id)?.filter(may_sign_in);
            let person = person.ok_or(Problem::NotFound("There is no such person."))?;
            begin_session(write, &session, &person)
        })
        .await?;
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response())
}

/// Only a sandbox has a page of people, and only under the address that it printed.
fn check_token<'c>(console: &'c Console, token: &str) -> Result<&'c Entry, Problem> {
    let entry = console.entry.as_ref().ok_or(Problem::NoSuchPath)?;
    if random::constant_time_eq(token.as_bytes(), entry.secret.as_bytes()) {
        Ok(entry)
    } else {
        Err(Problem::NoSuchPath)
    }
}

fn to_person(person: StoredPerson) -> Option<Person> {
    let role: Role = person.role.parse().ok()?;
    let tries = match role {
        Role::Progressor => {
            "Sees the chains of two branches, chases late sales, records milestones and shares chains."
        }
        Role::Lender => "Looks up the chain of any home, and checks the signature of the answer.",
        Role::Conveyancer => "Looks up the chain of a client's home, and saves the signed answer.",
        Role::Integrator => {
            "Connects a participant's systems, by command line and API. Has an account page only."
        }
        Role::Operator => "Runs the service, by command line. Has an account page only.",
    };
    Some(Person {
        id: person.id.to_string(),
        name: person.name,
        organisation: person.participant,
        tries: tries.to_owned(),
        role: to_role(role),
    })
}
