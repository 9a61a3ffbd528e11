//! `GET {console_url}/stream`: tells an open page that its chain has a newer version.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use chain::ids::ChainId;
use futures_util::stream;
use http::Uri;
use serde_json::json;
use storage::{Read, StorageError};
use web::form::Form;
use web::problem::Problem;

use crate::Console;
use crate::chain_pages::{Viewing, find_viewable};
use crate::guard::LedBy;
use crate::limits;
use crate::pages::chains::viewing;
use crate::session::SignedIn;
use crate::streams::{Cause, OpenPage, Subscription};

/// When a browser may try again.
const RETRY_SECONDS: u64 = 60;

/// The version of a chain that the viewer may no longer see.
const GONE: i64 = 0;

/// Streams `{"chain": "…", "version": 1}` for each newer version, to people who may see the chain, until
/// the session ends. A stream counts and is logged as a view of the chain is.
pub(crate) async fn stream_versions(
    State(console): State<Arc<Console>>,
    Extension(led_by): Extension<LedBy>,
    signed_in: SignedIn,
    uri: Uri,
) -> Result<Response, Problem> {
    const UNKNOWN: Problem = Problem::NotFound("There is no such chain, or it is none of yours.");
    if led_by == LedBy::Elsewhere {
        return Err(Problem::CrossSite);
    }
    let query = Form::parse_urlencoded(uri.query().unwrap_or_default().as_bytes())?;
    let chain: Option<ChainId> = query.find("chain").and_then(|text| text.parse().ok());
    let shown: Option<i64> = query.find("version").and_then(|text| text.parse().ok());
    let (Some(chain), Some(shown)) = (chain, shown) else {
        return Err(Problem::NotFound("Name a chain and a version."));
    };
    let session = signed_in.session().id;
    let viewing = viewing(signed_in, &query)?;
    console.count_view(&viewing)?;
    let viewer = viewing.clone();
    let find = move |read: &mut Read<'_>| find_viewable(read, &viewer, chain);
    let viewable = console.storage.read(find).await?.ok_or(UNKNOWN)?;
    let is_outdated = match &viewing {
        Viewing::Progressor(_) => viewable.shown > shown,
        // Digests have no order.
        Viewing::Reader(..) | Viewing::Holder { .. } => viewable.shown != shown,
    };
    let page = OpenPage {
        session,
        chain,
        stored: viewable.version,
        is_outdated,
    };
    let subscription = console
        .streams
        .subscribe(&page, console.clock.now_seconds());
    let subscription = subscription.ok_or_else(|| {
        let detail =
            "Too many pages are open. Close some, or load a page again to see what is new.";
        Problem::QuotaUsedUp(Some(RETRY_SECONDS), detail.to_owned())
    })?;
    console.note_view(&viewing, viewable.asked_for);
    let open = Open {
        console,
        viewing,
        chain,
        subscription,
        shown: (!is_outdated).then_some(viewable.shown),
        is_over: false,
    };
    let events = stream::unfold(open, next);
    let alive = KeepAlive::new().interval(limits::STREAM_HEARTBEAT);
    Ok(Sse::new(events).keep_alive(alive).into_response())
}

/// A stream that somebody reads.
struct Open {
    console: Arc<Console>,
    viewing: Viewing,
    chain: ChainId,
    subscription: Subscription,
    /// The version that the page shows; `None` if it shows another state than the store had.
    shown: Option<i64>,
    /// Whether its last event was sent.
    is_over: bool,
}

/// Whether a stream goes on.
enum Outlook {
    /// The viewer may see the chain in this version.
    GoesOn(i64),
    /// A change took the chain away from the viewer, who may still learn that there was one.
    LastNews,
    Ends,
}

async fn next(mut open: Open) -> Option<(Result<Event, Infallible>, Open)> {
    while !open.is_over {
        let cause = open.subscription.next().await?;
        // A store that cannot be read ends the stream, and the browser opens another.
        let version = match open.look().await.ok()? {
            Outlook::GoesOn(version) => version,
            Outlook::LastNews => GONE,
            Outlook::Ends => return None,
        };
        open.is_over = version == GONE;
        // The store may have a newer version with nothing new for this viewer.
        if matches!(cause, Cause::Newer(_)) && open.shown.replace(version) != Some(version) {
            let news = json!({ "chain": open.chain.to_string(), "version": version });
            return Some((Ok(Event::default().data(news.to_string())), open));
        }
    }
    None
}

impl Open {
    /// Looks at the session, the person and the chain again.
    async fn look(&self) -> Result<Outlook, StorageError> {
        let (viewing, chain) = (self.viewing.clone(), self.chain);
        let now = self.console.clock.now_seconds();
        let look = move |read: &mut Read<'_>| look(read, &viewing, chain, now);
        self.console.storage.read(look).await
    }
}

fn look(
    read: &mut Read<'_>,
    viewing: &Viewing,
    chain: ChainId,
    now: i64,
) -> Result<Outlook, StorageError> {
    let Some(known) = viewing.signed_in() else {
        return Ok(Outlook::Ends);
    };
    let Some(found) = known.find_again(read, now)? else {
        return Ok(Outlook::Ends);
    };
    let may_do_the_same = found.role() == known.role() && found.branches() == known.branches();
    if !may_do_the_same {
        return Ok(Outlook::Ends);
    }
    Ok(match find_viewable(read, viewing, chain)? {
        Some(viewable) => Outlook::GoesOn(viewable.shown),
        None => Outlook::LastNews,
    })
}
