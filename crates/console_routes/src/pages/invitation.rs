//! `{console_url}/invitation/{token}`: binds an invited person to an account at the provider.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use console::account::InvitationPage;
use console::frame::Section;
use console::render;
use storage::{StorageError, branch};
use web::problem::Problem;
use web::segments::Segments;

use crate::Console;
use crate::frames::{show, to_role};
use crate::pages::sign_in::lead_to_provider;
use crate::role::Role;
use crate::sign_in::find_invited;
use crate::times::moment;

/// Shows who is invited. Nothing is used up yet, because mail scanners follow links.
pub(crate) async fn show_invitation(
    State(console): State<Arc<Console>>,
    segments: Segments,
) -> Result<Response, Problem> {
    let token = segments.text(0).to_owned();
    let now = console.clock.now_seconds();
    let (person, expires_at, branches) = console
        .storage
        .read(move |read| {
            let (person, expires_at) = find_invited(read, &token, now)?;
            let found = person.branches.iter();
            let found = found.map(|id| branch::find_branch(read, *id));
            let found = found.collect::<Result<Vec<_>, StorageError>>()?;
            let names: Vec<_> = found.into_iter().flatten().map(|one| one.name).collect();
            Ok::<_, Problem>((person, expires_at, names))
        })
        .await?;
    let role: Role = person.role.parse().map_err(Problem::Internal)?;
    let page = InvitationPage {
        frame: console.frame(None, Section::Other),
        token: segments.text(0).to_owned(),
        name: person.name,
        organisation: person.participant,
        role: to_role(role),
        branches,
        until: moment(expires_at),
    };
    show(render(&page))
}

/// Leads the invited person to the provider.
pub(crate) async fn accept_invitation(
    State(console): State<Arc<Console>>,
    segments: Segments,
) -> Result<Response, Problem> {
    let token = segments.text(0).to_owned();
    let now = console.clock.now_seconds();
    console
        .storage
        .read(move |read| find_invited(read, &token, now).map(drop))
        .await?;
    lead_to_provider(&console, Some(segments.text(0)), "/").await
}
