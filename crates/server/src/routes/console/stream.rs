//! `GET {console_url}/stream`: tells an open page that its chain has a newer version.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use chain::ids::ChainId;
use chain::permission;
use futures_util::stream;
use http::Uri;
use serde_json::json;
use storage::{Read, StorageError, sessions, state};

use crate::console::Console;
use crate::console::session::SignedIn;
use crate::console::streams::Subscription;
use crate::form::Form;
use crate::limits;
use crate::problem::Problem;

/// When a browser may try again.
const RETRY_SECONDS: u64 = 60;

/// Streams `{"chain": "…", "version": 1}` for each newer version, to people who may see the chain, until
/// the session ends.
pub(crate) async fn stream_versions(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    uri: Uri,
) -> Result<Response, Problem> {
    const UNKNOWN: Problem = Problem::NotFound("There is no such chain, or it is none of yours.");
    let query = Form::parse_urlencoded(uri.query().unwrap_or_default().as_bytes())?;
    let chain: Option<ChainId> = query.find("chain").and_then(|text| text.parse().ok());
    let version: Option<i64> = query.find("version").and_then(|text| text.parse().ok());
    let (Some(chain), Some(version)) = (chain, version) else {
        return Err(Problem::NotFound("Name a chain and a version."));
    };
    let viewer = signed_in.clone();
    let may_see = move |read: &mut Read<'_>| may_see(read, &viewer, chain);
    if !console.storage.read(may_see).await? {
        return Err(UNKNOWN);
    }
    let session = signed_in.session().id;
    let subscription = console.streams.subscribe(session, chain, version);
    let subscription = subscription.ok_or_else(|| {
        let detail =
            "Too many pages are open. Close some, or load a page again to see what is new.";
        Problem::QuotaUsedUp(Some(RETRY_SECONDS), detail.to_owned())
    })?;
    let open = Open {
        console,
        signed_in,
        chain,
        subscription,
    };
    let events = stream::unfold(open, next);
    let alive = KeepAlive::new().interval(limits::STREAM_HEARTBEAT);
    Ok(Sse::new(events).keep_alive(alive).into_response())
}

/// A stream that somebody reads.
struct Open {
    console: Arc<Console>,
    signed_in: SignedIn,
    chain: ChainId,
    subscription: Subscription,
}

/// Readers may look any home up. Others see the chains of their branches.
fn may_see(read: &mut Read<'_>, viewer: &SignedIn, chain: ChainId) -> Result<bool, StorageError> {
    let found = state::find_chain(read, chain)?;
    let is_reader = viewer.role().may_look_up();
    let branches = viewer.branches();
    Ok(found.is_some_and(|found| is_reader || permission::may_use_chain(branches, &found)))
}

async fn next(mut open: Open) -> Option<(Result<Event, Infallible>, Open)> {
    let version = open.subscription.next().await?;
    let (person, session) = (open.signed_in.person().id, open.signed_in.session().id);
    let list = move |read: &mut Read<'_>| sessions::list_sessions(read, person);
    let sessions = open.console.storage.read(list).await.ok()?;
    if !sessions.iter().any(|one| one.id == session) {
        return None;
    }
    let news = json!({ "chain": open.chain.to_string(), "version": version });
    Some((Ok(Event::default().data(news.to_string())), open))
}
