//! `{console_url}/account`: the own name, role, branches and sessions.

pub(crate) mod end_all;
pub(crate) mod look_ups;
pub(crate) mod sessions;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use console::account::{AccountPage, Session};
use console::frame::Section;
use console::render;
use storage::sessions::StoredSession;
use storage::{Read, StorageError, branch};
use web::problem::Problem;

use crate::Console;
use crate::frames::{read_notice, show};
use crate::session::SignedIn;
use crate::times::moment;

/// Shows the account.
pub(crate) async fn show_account(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    request: Request,
) -> Result<Response, Problem> {
    let person = signed_in.person().clone();
    let (branches, mut sessions) = console
        .storage
        .read(move |read| {
            let names = list_branches(read, &person.branches)?;
            let all = storage::sessions::list_sessions(read, person.id)?;
            Ok::<_, StorageError>((names, all))
        })
        .await?;
    let own = signed_in.session().id;
    sessions.sort_by_key(|session| session.id != own);
    let mut frame = console.frame(Some(&signed_in), Section::Account);
    frame.notice = read_notice(request.uri());
    let page = AccountPage {
        frame,
        branches,
        sessions: sessions.iter().map(|one| to_session(one, own)).collect(),
    };
    show(render(&page))
}

fn to_session(session: &StoredSession, own: i64) -> Session {
    Session {
        id: session.id.to_string(),
        began: moment(session.signed_in_at),
        used: moment(session.seen_at),
        browser: String::new(),
        is_this: session.id == own,
    }
}

fn list_branches(
    read: &mut Read<'_>,
    ids: &[chain::ids::BranchId],
) -> Result<Vec<String>, StorageError> {
    let mut names = Vec::with_capacity(ids.len());
    for id in ids {
        names.extend(branch::find_branch(read, *id)?.map(|branch| branch.name));
    }
    Ok(names)
}
