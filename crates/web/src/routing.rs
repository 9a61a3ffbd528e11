//! Routes that are registered together with their descriptions, and answers that many of them share.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::Response;
use http::{HeaderMap, Method};
use serde::Serialize;
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response as DescribedResponse};
use utoipa_axum::router::OpenApiRouter;

use crate::conditional::Published;
use crate::known_parameters::{KnownParameters, refuse_unknown};
use crate::problem::Problem;
use crate::refusals;

/// Refuses every method but GET and HEAD.
pub fn only_get(method: &Method) -> Result<(), Problem> {
    if method == Method::GET || method == Method::HEAD {
        Ok(())
    } else {
        Err(Problem::MethodNotAllowed(Some("GET, HEAD")))
    }
}

/// Answers with a public JSON document that depends only on the settings.
pub fn publish_json(document: &impl Serialize, asked: &HeaderMap) -> Result<Response, Problem> {
    let body =
        serde_json::to_vec(document).map_err(|error| Problem::Internal(error.to_string()))?;
    Ok(Published::new(body, "application/json").answer(asked))
}

/// The refusals of an operation that fails only if the server fails.
pub struct Unhealthy;

impl IntoResponses for Unhealthy {
    fn responses() -> BTreeMap<String, RefOr<DescribedResponse>> {
        let problems = [
            Problem::Internal(String::new()),
            Problem::Unavailable(1, String::new()),
        ];
        refusals::describe(problems.iter().map(Problem::to_refusal))
    }
}

/// Answers requests that no route matches.
#[expect(clippy::unused_async, reason = "routers need asynchronous functions")]
pub async fn no_such_path() -> Problem {
    Problem::NoSuchPath
}

/// Answers requests with a method that the path does not support. The router sets `Allow`.
pub async fn method_not_allowed() -> Problem {
    Problem::MethodNotAllowed(None)
}

/// An operation for [`OpenApiRouter::routes`]. Its handler gets requests with every method, and refuses the
/// wrong methods itself.
#[macro_export]
macro_rules! any_method {
    ($handler:path) => {
        ::utoipa_axum::router::UtoipaMethodRouterExt::map(
            ::utoipa_axum::routes!($handler),
            |_with_described_method| ::axum::routing::any($handler),
        )
    };
}

/// Refuses parameters that an operation does not describe, and methods that a path does not have. Before all
/// that, `admit` proves the caller of each path that exists.
pub fn behind_admission<S, F, Out>(
    described: OpenApiRouter<Arc<S>>,
    state: &Arc<S>,
    admit: F,
) -> OpenApiRouter
where
    S: Send + Sync + 'static,
    F: Fn(State<Arc<S>>, Request, Next) -> Out + Clone + Send + Sync + 'static,
    Out: Future<Output = Response> + Send + 'static,
{
    let known = Arc::new(KnownParameters::described_by(described.get_openapi()));
    with_router(described, |router| {
        router
            .method_not_allowed_fallback(method_not_allowed)
            .route_layer(middleware::from_fn_with_state(known, refuse_unknown))
            .route_layer(middleware::from_fn_with_state(Arc::clone(state), admit))
            .with_state(Arc::clone(state))
    })
}

/// Changes the router of these routes and keeps their descriptions.
pub fn with_router<S, T>(
    described: OpenApiRouter<S>,
    change: impl FnOnce(Router<S>) -> Router<T>,
) -> OpenApiRouter<T>
where
    S: Clone + Send + Sync + 'static,
    T: Clone + Send + Sync + 'static,
{
    let (router, operations) = described.split_for_parts();
    let mut changed = OpenApiRouter::from(change(router));
    *changed.get_openapi_mut() = operations;
    changed
}
