//! `GET /docs` on each listener: its description as an HTML page, and the guides.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use axum::Extension;
use axum::body::Bytes;
use axum::response::IntoResponse;
use http::{Method, header};
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response};
use web::answered::SharedBody;
use web::problem::Problem;
use web::refusals;
use web::routing::only_get;
use web::segments::Segments;

use crate::openapi::Description;
use crate::openapi::page::content_security_policy;

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
    Ok(page(description.rendered().page.clone()))
}

/// The refusal of a name that no guide has, as each listener writes it.
struct NoSuchGuide;

impl IntoResponses for NoSuchGuide {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let unknown = Problem::NoSuchPath;
        refusals::describe([unknown.to_refusal(), unknown.to_failure_refusal()])
    }
}

/// Shows a guide.
///
/// The reference at `/docs` links all guides.
#[utoipa::path(
    get,
    path = "/docs/{guide}",
    tag = "Description",
    params(("guide" = String, Path, description = "The name of the guide.", example = "query")),
    responses(
        (
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
        ),
        NoSuchGuide,
    ),
    security(()),
)]
pub(crate) async fn show_guide(
    Extension(description): Extension<Arc<Description>>,
    segments: Segments,
    method: Method,
) -> Result<impl IntoResponse, Problem> {
    only_get(&method)?;
    let guide = description
        .guide(segments.text(0))
        .ok_or(Problem::NoSuchPath)?;
    Ok(page(guide))
}

fn page(html: Bytes) -> impl IntoResponse {
    static POLICY: LazyLock<String> = LazyLock::new(content_security_policy);
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "public, max-age=300"),
        (header::CONTENT_SECURITY_POLICY, POLICY.as_str()),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, Extension(SharedBody), html)
}
