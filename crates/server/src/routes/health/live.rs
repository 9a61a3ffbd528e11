//! `GET /health/live`: shows that the process runs.

use http::Method;
use web::problem::Problem;
use web::routing::only_get;

/// Shows that the process runs.
///
/// It says nothing about the store. `/health/ready` does.
#[utoipa::path(
    get,
    path = "/health/live",
    tag = "Health",
    responses((
        status = 200,
        description = "The process runs.",
        body = String,
        content_type = "text/plain; charset=utf-8",
    )),
)]
pub(crate) async fn show_live(method: Method) -> Result<&'static str, Problem> {
    only_get(&method)?;
    Ok("live\n")
}
