//! `GET /` on each listener but the console: the name of the address, and where its description is
//! (S-66).

use std::sync::Arc;

use axum::Extension;
use axum::response::Response;
use http::{HeaderMap, Method};
use serde::Serialize;
use utoipa::ToSchema;
use web::conditional::{IfNoneMatch, Unchanged};
use web::problem::Problem;
use web::routing::{Unhealthy, only_get, publish_json};

use crate::openapi::Description;

/// The name of an address, and its description.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Home)]
pub(crate) struct Home {
    /// The title of the description, such as `Onward chain query`.
    title: &'static str,
    /// The description as a page.
    docs: String,
    /// The description as an OpenAPI document.
    openapi: String,
}

/// Names this address and its description.
///
/// `docs` is a page for people, and `openapi` the same for programs.
#[utoipa::path(
    get,
    path = "/",
    tag = "Description",
    params(IfNoneMatch),
    responses(
        (
            status = 200,
            description = "The name of this address, and its description.",
            body = Home,
            content_type = "application/json",
            headers(("cache-control"), ("etag")),
        ),
        Unchanged,
        Unhealthy,
    ),
    security(()),
)]
pub(crate) async fn show_home(
    Extension(description): Extension<Arc<Description>>,
    method: Method,
    asked: HeaderMap,
) -> Result<Response, Problem> {
    only_get(&method)?;
    let url = description.url();
    let home = Home {
        title: description.title(),
        docs: format!("{url}/docs"),
        openapi: format!("{url}/openapi.json"),
    };
    publish_json(&home, &asked)
}
