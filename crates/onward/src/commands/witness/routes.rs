//! The calls of tlog-witness: `add-checkpoint` cosigns a checkpoint, and `checkpoint` shows the last cosigned one.

use std::sync::Arc;

use ::witness::{Answer, Witness};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use log::witness::MAX_BODY_BYTES;
use observe::clock::Clock;
use observe::outage::Outage;

/// Logs the first of several faults in a row.
static FAULTS: Outage = Outage::new("this witness cannot cosign");

pub(super) fn router(witness: Arc<Witness>) -> Router {
    Router::new()
        .route("/add-checkpoint", post(add_checkpoint))
        .route("/{origin_hash}/checkpoint", get(read_checkpoint))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(witness)
}

async fn add_checkpoint(State(witness): State<Arc<Witness>>, body: Bytes) -> Response {
    let now = u64::try_from(Clock::System.now_seconds()).unwrap_or_default();
    let deciding = move || witness.add_checkpoint(&body, now);
    // The witness writes a file.
    let decided = tokio::task::spawn_blocking(deciding).await;
    let decided = decided.map_err(|error| error.to_string());
    let decided = decided.and_then(|answer| answer.map_err(|fault| fault.to_string()));
    let answer = match decided {
        // A refusal says nothing about files and clock.
        Ok(refusal) if refusal.status != StatusCode::OK => Some(refusal),
        outcome => FAULTS.note(outcome),
    };
    answer.map_or_else(
        || (StatusCode::SERVICE_UNAVAILABLE, "cannot cosign now\n").into_response(),
        respond,
    )
}

async fn read_checkpoint(
    State(witness): State<Arc<Witness>>,
    Path(origin_hash): Path<String>,
) -> Response {
    match witness.checkpoint(&origin_hash) {
        Some(checkpoint) => checkpoint.into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn respond(answer: Answer) -> Response {
    let content_type = [(header::CONTENT_TYPE, answer.content_type)];
    (answer.status, content_type, answer.body).into_response()
}
