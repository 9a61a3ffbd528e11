//! `GET {log_url}/tile/…`: the hashes of the log's tree, and its entries.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderValue, Method, header};
use log::tile::{Content, Tile, cut_bundle};
use storage::{StorageError, state_log};
use web::problem::Problem;
use web::routing::only_get;
use web::segments::Segments;

use super::{LogRefusals, TileInPath, allow_all_origins, read_path};
use crate::StateLog;
use crate::limits::TILE_CACHE_CONTROL;
use crate::tree::stored_place;

const NO_TILE: &str = "The newest checkpoint of this log does not reach this tile.";
const HASH_BYTES: usize = 32;

/// Shows a tile of the log's tree, or a bundle of its entries.
///
/// A tile has 1 to 256 hashes of 32 bytes, and a bundle as many entries, each after its length in two bytes
/// (C2SP tlog-tiles). A tile never changes.
#[utoipa::path(
    get,
    path = "/tile/{tile}",
    tag = "Log",
    params(TileInPath),
    responses(
        (
            status = 200,
            description = "The tile.",
            body = String,
            content_type = "application/octet-stream",
            headers(("access-control-allow-origin"), ("cache-control")),
        ),
        LogRefusals,
    ),
)]
pub async fn show_tile(
    State(log): State<Arc<StateLog>>,
    segments: Segments,
    method: Method,
) -> Result<Response, Problem> {
    only_get(&method)?;
    let (number, path) = read_path(&segments, 1).ok_or(Problem::NoSuchPath)?;
    let tile = Tile::parse(&format!("tile/{path}"));
    let tile = tile.map_err(|_malformed| Problem::NotFound(NO_TILE))?;
    let (level, place) = stored_place(tile.content(), tile.index());
    let finding = log.storage.lookup(move |read| {
        let Some(log) = state_log::find_log(read, number)? else {
            return Ok(None);
        };
        // Only what a checkpoint covers is public.
        let size = log.signed_size.unsigned_abs();
        let shown = Tile::in_tree(tile.content(), tile.index(), size);
        if shown.is_none_or(|shown| shown.width() < tile.width()) {
            return Ok(None);
        }
        state_log::find_tile(read, number, level, place)
    });
    let found: Result<_, StorageError> = finding.await;
    let mut content = found?.ok_or(Problem::NotFound(NO_TILE))?;
    let length = match tile.content() {
        Content::Hashes(_) => Some(usize::from(tile.width()) * HASH_BYTES),
        Content::Entries => cut_bundle(&content, tile.width()).map(<[u8]>::len),
    };
    let length = length.filter(|length| *length <= content.len());
    let damaged = || Problem::Internal(format!("{tile} of log {number} is damaged"));
    content.truncate(length.ok_or_else(damaged)?);
    let mut response = Response::new(Body::from(content));
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static("application/octet-stream");
    headers.insert(header::CONTENT_TYPE, kind);
    let kept = HeaderValue::from_static(TILE_CACHE_CONTROL);
    headers.insert(header::CACHE_CONTROL, kept);
    allow_all_origins(headers);
    Ok(response)
}
