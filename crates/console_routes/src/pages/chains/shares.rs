//! `POST {console_url}/chains/{chain}/shares`: makes a share link.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use console::render;
use http::{HeaderMap, StatusCode};
use storage::shares::{self, NewShare, StoredShare};
use web::form::Form;
use web::problem::Problem;
use web::secret::NewSecret;
use web::segments::Segments;

use crate::Console;
use crate::chain_pages::{Viewing, own_listings};
use crate::compression::ShowsSecret;
use crate::frames::{refuse_at, show_as};
use crate::limits;
use crate::session::SignedIn;

/// Makes a link that shows the chain of the viewer's lowest listing in it. The link is shown once.
pub(crate) async fn make_share(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    let form = Form::read(&headers, body).await?;
    let typed = form.find("days").unwrap_or_default().trim().to_owned();
    let id = segments.chain(0)?;
    let viewing = Viewing::Progressor(signed_in.clone());
    let loaded = console.load_chain(&viewing, id).await?;
    let key = form.find("idempotency_key").unwrap_or_default();
    let made = match read_days(&typed) {
        Ok(days) => store(&console, &signed_in, &loaded.state, days, key).await,
        Err(problem) => Err(problem),
    };
    // With the new link in the list.
    let loaded = console.load_chain(&viewing, id).await?;
    let answer = console.sign_loaded(&loaded).await?;
    let mut page = console.chain_page(&viewing, &loaded, answer.as_deref());
    let status = match made {
        Ok(link) => {
            if let Some(sharing) = &mut page.sharing {
                sharing.made = Some(link);
            }
            StatusCode::OK
        }
        Err(problem) => {
            refuse_at(&mut page.frame, &problem, "share-days");
            if let Some(sharing) = &mut page.sharing {
                sharing.days = typed;
            }
            problem.status_and_title().0
        }
    };
    let mut response = show_as(status, render(&page))?;
    response.extensions_mut().insert(ShowsSecret);
    Ok(response)
}

fn read_days(text: &str) -> Result<i64, Problem> {
    let days = text.parse().ok();
    let days = days.filter(|days| (1..=limits::SHARE_DAYS_MAX).contains(days));
    days.ok_or_else(|| {
        let most = limits::SHARE_DAYS_MAX;
        Problem::value_invalid("days", format!("type a number of days from 1 to {most}"))
    })
}

/// Stores a link. A form that is sent again names the same link, so it makes no second one.
async fn store(
    console: &Console,
    signed_in: &SignedIn,
    state: &storage::state::ChainState,
    days: i64,
    idempotency_key: &str,
) -> Result<String, Problem> {
    let mut own = own_listings(state, signed_in.branches());
    let listing = own
        .next()
        .ok_or(Problem::NotAllowed("None of these sales is yours."))?;
    let person = signed_in.person().id;
    let secret = if idempotency_key.is_empty() {
        NewSecret::draw().map_err(|error| Problem::Internal(error.to_string()))?
    } else {
        let named_by = format!("{person} {} {idempotency_key}", state.chain.id());
        NewSecret::derive(&console.share_secrets, &named_by)
    };
    let digest = secret.digest.clone();
    let now = console.clock.now_seconds();
    console
        .write_own(signed_in, move |write| {
            if let Some(known) = shares::find_share(write, &digest)? {
                return check_same(&known, days, now);
            }
            if shares::list_shares(write, listing, now)?.len() >= limits::SHARES_MAX {
                let most = limits::SHARES_MAX;
                let detail = format!("A sale has at most {most} share links. End one first.");
                return Err(Problem::QuotaUsedUp(None, detail));
            }
            let share = NewShare {
                digest: &digest,
                listing,
                person,
                expires_at: now + days * web::limits::DAY_SECONDS,
            };
            shares::insert_share(write, &share, now)?;
            Ok(())
        })
        .await?;
    Ok(format!("{}/share/{}", console.url, secret.secret))
}

/// Refuses a form that is sent again if its link has ended, or if it asks for another number of days.
fn check_same(known: &StoredShare, days: i64, now: i64) -> Result<(), Problem> {
    if known.revoked_at.is_some() || known.expires_at <= now {
        return Err(Problem::Conflict(
            "This form made a link that has ended. Load the page again.",
        ));
    }
    if known.expires_at - known.created_at != days * web::limits::DAY_SECONDS {
        return Err(Problem::Conflict(
            "This form made a link with another number of days. Load the page again.",
        ));
    }
    Ok(())
}
