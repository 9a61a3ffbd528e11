//! `GET {console_url}/chains`: the chains of a progressor, and `GET {console_url}/chains/{chain}`: one
//! chain, as a page or, with `.json` at its end, as document 1's signed answer. With `.pack.json` it is the evidence of it.

pub(crate) mod history;
pub(crate) mod shares;

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::response::{IntoResponse as _, Response};
use chain::ids::{BranchId, ChainId, ListingId, Uprn};
use chain::milestone::Group;
use chain_queries::signed_chain::PACK_MEDIA_TYPE;
use console::chains::{Branch, ChainsFilter, ChainsPage};
use console::frame::Section;
use console::render;
use http::{HeaderValue, Uri, header};
use storage::recent_chains::Place;
use storage::{Read, StorageError, branch};
use web::form::Form;
use web::problem::Problem;
use web::segments::Segments;

use crate::Console;
use crate::chain_lists::list_chains;
use crate::chain_pages::{Loaded, Viewing};
use crate::files::{self, Shows, chain_calendar, chain_csv};
use crate::frames::{read_notice, show};
use crate::guard::LedBy;
use crate::pages::search::ask_first;
use crate::session::SignedIn;

/// Lists the chains with a sale of the viewer's branches.
pub(crate) async fn list(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    uri: Uri,
) -> Result<Response, Problem> {
    let query = Form::parse_urlencoded(uri.query().unwrap_or_default().as_bytes())?;
    let caller = signed_in.branch_caller()?;
    let filter = read_filter(&query);
    let after = query.find("after").and_then(read_position);
    let asked = filter.clone();
    let management = Arc::clone(&console.management);
    let (branches, list) = console
        .storage
        .read(move |read| {
            let own = list_branches(read, caller.branches())?;
            let list = list_chains(read, &management, caller.branches(), &asked, after)?;
            Ok::<_, StorageError>((own, list))
        })
        .await?;
    let mut frame = console.frame(Some(&signed_in), Section::Chains);
    frame.notice = read_notice(&uri);
    let next = list
        .next
        .map(|last| format!("{}-{}", last.changed_at, last.listing));
    let page = ChainsPage {
        frame,
        today: console.today(),
        filter,
        branches,
        rows: list.rows,
        next,
    };
    show(render(&page))
}

fn read_filter(query: &Form) -> ChainsFilter {
    let text = query.find("q").unwrap_or_default().trim();
    ChainsFilter {
        branch: query
            .find("branch")
            .and_then(|id| id.parse().ok())
            .map(BranchId),
        stage: query.find("stage").and_then(Group::parse),
        has_open_end: query.find("ends") == Some("open"),
        is_stuck: query.find("stuck") == Some("1"),
        text: text
            .chars()
            .take(chain_queries::limits::VALUE_CHARACTERS_MAX)
            .collect(),
    }
}

/// Reads the place in the list that `after` names.
fn read_position(text: &str) -> Option<Place> {
    let (changed_at, listing) = text.split_once('-')?;
    Some(Place {
        changed_at: changed_at.parse().ok()?,
        listing: ListingId(listing.parse().ok()?),
    })
}

/// The branches of a progressor with their names.
pub(in crate::pages) fn list_branches(
    read: &mut Read<'_>,
    ids: &[BranchId],
) -> Result<Vec<Branch>, StorageError> {
    let mut branches = Vec::with_capacity(ids.len());
    for id in ids {
        let found = branch::find_branch(read, *id)?;
        branches.extend(found.map(|found| Branch {
            id: found.id,
            name: found.name,
        }));
    }
    Ok(branches)
}

/// Shows a chain.
pub(crate) async fn show_chain(
    State(console): State<Arc<Console>>,
    Extension(led_by): Extension<LedBy>,
    signed_in: SignedIn,
    segments: Segments,
    uri: Uri,
) -> Result<Response, Problem> {
    let query = Form::parse_urlencoded(uri.query().unwrap_or_default().as_bytes())?;
    let viewing = viewing(signed_in, &query)?;
    let text = segments.text(0);
    let (text, kind) = text.split_once('.').unwrap_or((text, ""));
    let id: ChainId = text.parse().map_err(|_error| Problem::NoSuchPath)?;
    if let (Viewing::Reader(reader, uprn), LedBy::Elsewhere) = (&viewing, led_by) {
        return ask_first(&console, reader, &uprn.to_string());
    }
    console.count_view(&viewing)?;
    let loaded = console.load_chain(&viewing, id).await?;
    let asked_for = loaded.current.as_ref().map(|current| current.property);
    console.note_view(&viewing, asked_for);
    match kind {
        "" => show_page(&console, &viewing, &loaded, &uri).await,
        "json" => show_answer(&console, &loaded).await,
        "pack.json" => show_pack(&console, &loaded).await,
        "csv" | "ics" => Ok(show_file(&console, &viewing, &loaded, kind)),
        _other => Err(Problem::NoSuchPath),
    }
}

/// A progressor sees own chains. A reader sees the chain of the property that the reader looked up.
pub(crate) fn viewing(signed_in: SignedIn, query: &Form) -> Result<Viewing, Problem> {
    if signed_in.role().may_look_up() {
        let uprn = query.find("uprn").and_then(|text| text.parse().ok());
        let uprn = uprn.and_then(Uprn::new).ok_or(Problem::NotFound(
            "Look the home up first: then its chain has an address.",
        ))?;
        return Ok(Viewing::Reader(signed_in, uprn));
    }
    Ok(Viewing::Progressor(signed_in))
}

async fn show_page(
    console: &Console,
    viewing: &Viewing,
    loaded: &Loaded,
    uri: &Uri,
) -> Result<Response, Problem> {
    let query = Form::parse_urlencoded(uri.query().unwrap_or_default().as_bytes())?;
    let answer = console.sign_loaded(loaded).await?;
    let mut page = console.chain_page(viewing, loaded, answer.as_deref());
    page.frame.notice = read_notice(uri);
    page.shows_all_homes = query.find("all") == Some("1");
    page.shows_all_types = query.find("types") == Some("28");
    if let Err(error) = console.note_seen(viewing, loaded).await {
        // A store that cannot be written still answers reads.
        tracing::debug!(%error, "the visit of a chain is not stored");
    }
    show(render(&page))
}

/// Answers with the chain as `csv`, or else as a calendar.
pub(crate) fn show_file(
    console: &Console,
    viewing: &Viewing,
    loaded: &Loaded,
    kind: &str,
) -> Response {
    let page = console.chain_page(viewing, loaded, None);
    let homes: Vec<_> = page.layers.iter().flatten().collect();
    let shows = match viewing {
        Viewing::Progressor(_) => Shows::Labels,
        Viewing::Reader(..) | Viewing::Holder { .. } => Shows::Members,
    };
    if kind == "csv" {
        chain_csv(&homes, &loaded.state, shows).answer("chain.csv")
    } else {
        chain_calendar(&homes, &loaded.state, shows, &console.calendar_stamp())
    }
}

const NOT_SHOWN: Problem = Problem::NotFound(
    "No sale of this chain is the current one of its home, so Onward signs nothing about it.",
);

/// The evidence of the state shown (S-62).
async fn show_pack(console: &Console, loaded: &Loaded) -> Result<Response, Problem> {
    let current = loaded.current.as_ref().ok_or(NOT_SHOWN)?;
    let made = console.queries.prove_chain(current).await?;
    let pack = made.ok_or(NOT_SHOWN)?;
    Ok(files::answer(pack, PACK_MEDIA_TYPE, "chain.pack.json"))
}

async fn show_answer(console: &Console, loaded: &Loaded) -> Result<Response, Problem> {
    let current = loaded.current.as_ref().ok_or(NOT_SHOWN)?;
    let signed = console
        .queries
        .sign_chain(current)
        .await?
        .ok_or(NOT_SHOWN)?;
    let json = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, json)], signed.answer.body.clone()).into_response())
}
