//! `GET /openapi.json` on each listener: its description as an OpenAPI document.

use std::sync::Arc;

use axum::Extension;
use axum::response::IntoResponse;
use http::{Method, header};
use web::answered::SharedBody;
use web::problem::Problem;
use web::routing::only_get;

use crate::openapi::Description;

/// Shows this description as an OpenAPI document.
///
/// Each address has a document of its own, with the server URLs of this service.
#[utoipa::path(
    get,
    path = "/openapi.json",
    tag = "Description",
    responses((
        status = 200,
        description = "An OpenAPI 3.1 document.",
        body = Object,
        content_type = "application/json",
        headers(("cache-control")),
    )),
    security(()),
)]
pub(crate) async fn show_openapi(
    Extension(description): Extension<Arc<Description>>,
    method: Method,
) -> Result<impl IntoResponse, Problem> {
    only_get(&method)?;
    let rendered = description.rendered();
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "public, max-age=300"),
    ];
    Ok((headers, Extension(SharedBody), rendered.json.clone()))
}
