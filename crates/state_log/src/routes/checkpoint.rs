//! `GET {log_url}/checkpoint`: the newest signed head of the log.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, Method, StatusCode, header};
use storage::{StorageError, state_log};
use web::problem::Problem;
use web::routing::only_get;
use web::segments::Segments;

use super::{LogRefusals, allow_all_origins, read_path};
use crate::StateLog;

const NO_LOG: &str =
    "There is no such log here, or it has not begun yet: ask again in some seconds.";

/// Shows the newest checkpoint of the log.
///
/// The log has a commitment to each state of a chain, and each change of a signing key. The checkpoint is a
/// signed note (C2SP tlog-checkpoint): the log's name, the number of entries, and the root of their tree. Witnesses may have cosigned it (C2SP tlog-cosignature). A log
/// of which the store was restored from a backup is closed: 410 names the next one.
#[utoipa::path(
    get,
    path = "/checkpoint",
    tag = "Log",
    responses(
        (
            status = 200,
            description = "The checkpoint.",
            body = String,
            content_type = "text/plain; charset=utf-8",
            headers(("access-control-allow-origin"), ("cache-control")),
        ),
        (
            status = 410,
            description = "The log is closed. `Link` and the text name the next one.",
            body = String,
            content_type = "text/plain; charset=utf-8",
            headers(("access-control-allow-origin"), ("cache-control"), ("link")),
        ),
        LogRefusals,
    ),
)]
pub async fn show_checkpoint(
    State(log): State<Arc<StateLog>>,
    segments: Segments,
    method: Method,
) -> Result<Response, Problem> {
    only_get(&method)?;
    let (number, _) = read_path(&segments, 0).ok_or(Problem::NoSuchPath)?;
    let finding = log.storage.lookup(move |read| {
        let found = state_log::find_log(read, number)?;
        let newest = state_log::find_newest(read)?;
        Ok::<_, StorageError>((found, newest))
    });
    let (found, newest) = finding.await?;
    let newest = newest.filter(|newest| newest.number >= number);
    let newest = newest.ok_or(Problem::NotFound(NO_LOG))?;
    let mut response = if let Some(found) = found.filter(|_| number == newest.number) {
        found.shown().to_owned().into_response()
    } else {
        let next = format!("{}/checkpoint", log.url_of(newest.number));
        let text = format!("This log is closed. The log continues at {next}\n");
        let mut response = (StatusCode::GONE, text).into_response();
        let link = HeaderValue::from_str(&format!("<{next}>; rel=\"latest-version\""));
        let link = link.map_err(|error| Problem::Internal(error.to_string()))?;
        response.headers_mut().insert(header::LINK, link);
        response
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    allow_all_origins(headers);
    Ok(response)
}
