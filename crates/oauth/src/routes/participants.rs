//! `GET {directory_url}/participants`: the organisations in the directory (S-27).

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, Method};
use web::conditional::{IfNoneMatch, Unchanged};
use web::problem::Problem;
use web::routing::{Unhealthy, only_get};

use crate::directory::Directory;
use crate::wire::organisation::Organisation;

/// Lists the participants.
///
/// The list has all organisations, the oldest first. The entry of this service's operator shows the
/// service's URLs.
#[utoipa::path(
    get,
    path = "/participants",
    tag = "Participants",
    params(IfNoneMatch),
    responses(
        (
            status = 200,
            description = "The participants.",
            body = Vec<Organisation>,
            content_type = "application/json",
            headers(("cache-control"), ("etag")),
        ),
        Unchanged,
        Unhealthy,
    ),
)]
pub async fn list_participants(
    State(directory): State<Arc<Directory>>,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    only_get(&method)?;
    let published = directory.published().await?;
    Ok(published.answer(&headers))
}
