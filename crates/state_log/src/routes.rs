//! The log at the directory's address, as C2SP tlog-tiles has it. Everybody may read it.

pub mod checkpoint;
pub mod tile;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::routing::any;
use http::header::ACCESS_CONTROL_ALLOW_ORIGIN;
use http::{HeaderMap, HeaderValue};
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::openapi::{RefOr, Response};
use utoipa::{IntoParams, IntoResponses};
use utoipa_axum::router::OpenApiRouter;
use web::parameters::in_path;
use web::problem::Problem;
use web::routing::with_router;
use web::segments::Segments;
use web::{any_method, refusals, schema};

use crate::StateLog;
use crate::limits::TILE_CHARACTERS_MAX;

/// The routes of all logs. The description shows those of the first log; the paths of the others begin with
/// their number.
pub fn routes(log: &Arc<StateLog>) -> OpenApiRouter {
    let described = OpenApiRouter::default()
        .routes(any_method!(checkpoint::show_checkpoint))
        .routes(any_method!(tile::show_tile));
    with_router(described, |_described: Router<Arc<StateLog>>| {
        // The index of a tile has slashes.
        let routes = Router::new()
            .route("/checkpoint", any(checkpoint::show_checkpoint))
            .route("/tile/{*tile}", any(tile::show_tile))
            .route("/log/{number}/checkpoint", any(checkpoint::show_checkpoint))
            .route("/log/{number}/tile/{*tile}", any(tile::show_tile));
        routes.with_state(Arc::clone(log))
    })
}

/// The place of a tile.
struct TileInPath;

impl IntoParams for TileInPath {
    fn into_params(_place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let text = "`LEVEL/INDEX` or `entries/INDEX`. Three digits of the index are one part of the path, \
             such as `0/x001/234`. `.p/WIDTH` follows for a tile with fewer than 256 items.";
        vec![in_path("tile", text, schema::text(TILE_CHARACTERS_MAX))]
    }
}

/// The refusals of these routes.
struct LogRefusals;

impl IntoResponses for LogRefusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let problems = [
            Problem::NotFound("The newest checkpoint of this log does not reach this tile."),
            Problem::Internal(String::new()),
            Problem::Unavailable(1, String::new()),
        ];
        refusals::describe(problems.iter().map(Problem::to_refusal))
    }
}

/// The number of the log, and the rest of the path; `None` for a number that no log has.
fn read_path(segments: &Segments, rest: usize) -> Option<(i64, &str)> {
    // The paths of the first log have one part less.
    if segments.text(rest).is_empty() && rest > 0 {
        return Some((1, segments.text(0)));
    }
    match segments.number(0) {
        None if rest == 0 && segments.text(0).is_empty() => Some((1, "")),
        Some(number) if number > 1 => Some((number, segments.text(rest))),
        Some(_) | None => None,
    }
}

/// Pages of any origin may read the log, to verify it in a browser.
fn allow_all_origins(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
}
