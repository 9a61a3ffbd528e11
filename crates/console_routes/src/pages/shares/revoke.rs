//! `POST {console_url}/shares/{share}/revoke`: ends a share link.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use chain::ids::ChainId;
use http::HeaderMap;
use listing_management::listings::find_own_listing_ever;
use storage::shares;
use web::form::Form;
use web::problem::Problem;
use web::segments::Segments;

use crate::Console;
use crate::frames::{Destination, Notice};
use crate::session::SignedIn;

/// Ends a link of one of the viewer's branches, also a colleague's.
pub(crate) async fn revoke_share(
    State(console): State<Arc<Console>>,
    signed_in: SignedIn,
    segments: Segments,
    headers: HeaderMap,
    body: Body,
) -> Result<Destination, Problem> {
    let caller = signed_in.branch_caller()?;
    let form = Form::read(&headers, body).await?;
    let chain: Option<ChainId> = form.find("chain").and_then(|text| text.parse().ok());
    let id = segments.number(0).unwrap_or_default();
    let now = console.clock.now_seconds();
    console
        .write_own(&signed_in, move |write| {
            const UNKNOWN: Problem = Problem::NotFound("There is no such share link.");
            let share = shares::find_share_by_id(write, id)?.ok_or(UNKNOWN)?;
            find_own_listing_ever(write, &caller, share.listing).map_err(|_foreign| UNKNOWN)?;
            shares::revoke_share(write, id, now)?;
            Ok::<_, Problem>(())
        })
        .await?;
    let back = chain.map_or_else(|| "/chains".to_owned(), |chain| format!("/chains/{chain}"));
    Ok(Notice::Revoked.at(&back))
}
