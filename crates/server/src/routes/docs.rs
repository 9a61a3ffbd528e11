//! `GET /docs` on each listener: its description as an HTML page.

use std::sync::Arc;

use axum::Extension;
use axum::response::IntoResponse;
use http::{Method, header};
use web::answered::SharedBody;
use web::problem::Problem;
use web::routing::only_get;

use crate::openapi::Description;

/// Shows this description as a page.
///
/// The page is made from the OpenAPI document of this address.
#[utoipa::path(
    get,
    path = "/docs",
    tag = "Description",
    responses((
        status = 200,
        description = "A page that loads nothing from elsewhere.",
        body = String,
        content_type = "text/html; charset=utf-8",
        headers(
            ("cache-control"),
            ("content-security-policy"),
            ("referrer-policy"),
            ("x-content-type-options"),
        ),
    )),
    security(()),
)]
pub(crate) async fn show_docs(
    Extension(description): Extension<Arc<Description>>,
    method: Method,
) -> Result<impl IntoResponse, Problem> {
    only_get(&method)?;
    let rendered = description.rendered();
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "public, max-age=300"),
        (
            header::CONTENT_SECURITY_POLICY,
            rendered.page_policy.as_str(),
        ),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, Extension(SharedBody), rendered.page.clone()).into_response())
}
