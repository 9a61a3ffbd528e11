//! What each caller does.

use std::sync::Arc;
use std::time::Duration;

use jiff::ToSpan as _;
use jiff::civil::{Date, date};
use serde_json::json;
use tokio::task::JoinSet;

use super::UPRNS;
use super::load::Calls;

/// Askers; every other one over HTTP/1.
const ASKERS: usize = 4;
/// After so many requests an asker makes a new connection.
const REQUESTS_OF_A_CONNECTION: usize = 40;
const ASKING_PAUSE: Duration = Duration::from_millis(10);
const RECORDING_PAUSE: Duration = Duration::from_millis(25);
const TOKEN_PAUSE: Duration = Duration::from_millis(100);
/// How long a caller waits that was asked to come back. It was asked to wait a second, and waits
/// less.
const REFUSED_PAUSE: Duration = Duration::from_millis(50);
const FIRST_DATE: Date = date(2001, 1, 1);

/// Starts all callers.
pub(super) fn start(calls: &Arc<Calls>, callers: &mut JoinSet<()>) {
    for number in 0..ASKERS {
        callers.spawn(ask(Arc::clone(calls), number));
    }
    for place in 0..UPRNS.len() {
        callers.spawn(record(Arc::clone(calls), place));
    }
    callers.spawn(request_tokens(Arc::clone(calls)));
}

/// Asks for chains and verifies each answer.
async fn ask(calls: Arc<Calls>, number: usize) {
    let is_http1 = number.is_multiple_of(2);
    let lender = calls.lender.clone();
    let mut http = calls.open(&lender.identity, is_http1);
    let mut token = None;
    let mut asked = 0;
    while !calls.is_over() {
        if token.is_none() {
            token = calls.request_token(&http, &lender).await;
        }
        let Some(known) = &token else {
            tokio::time::sleep(REFUSED_PAUSE).await;
            continue;
        };
        let uprn = UPRNS[asked % UPRNS.len()].to_string();
        let form = [("inputType", "uprn"), ("value[]", uprn.as_str())];
        let request = http.post(calls.url("base", "/api/v1/standard/chains"));
        let request = request.bearer_auth(known).form(&form);
        let answer = calls.send("query", request).await;
        tokio::time::sleep(if answer.is_some() {
            ASKING_PAUSE
        } else {
            REFUSED_PAUSE
        })
        .await;
        if let Some(answer) = answer {
            calls.verify(answer);
        }
        asked += 1;
        if asked.is_multiple_of(REQUESTS_OF_A_CONNECTION) {
            http = calls.open(&lender.identity, is_http1);
        }
    }
}

/// Records milestones on one listing, each with another date. What was refused is recorded again,
/// which changes nothing if it was recorded before (S-38).
async fn record(calls: Arc<Calls>, place: usize) {
    let agent = calls.agent.clone();
    let http = calls.open(&agent.identity, place.is_multiple_of(2));
    let listing = calls.listings[place];
    let mut token = None;
    let mut days = 0_i64;
    while !calls.is_over() {
        if token.is_none() {
            token = calls.request_token(&http, &agent).await;
        }
        let Some(known) = &token else {
            tokio::time::sleep(REFUSED_PAUSE).await;
            continue;
        };
        let date = FIRST_DATE.checked_add(days.days()).unwrap().to_string();
        let url = calls.url(
            "listing",
            &format!("/api/v1/listing/{listing}/milestone/sstc"),
        );
        let request = http
            .put(url)
            .bearer_auth(known)
            .json(&json!({"date": date}));
        if calls.send("record", request).await.is_some() {
            calls.note_recorded(listing, date);
            days += 1;
            tokio::time::sleep(RECORDING_PAUSE).await;
        } else {
            tokio::time::sleep(REFUSED_PAUSE).await;
        }
    }
}

/// Gets new tokens, each on a new connection, and uses each once, perhaps at another node.
async fn request_tokens(calls: Arc<Calls>) {
    let lender = calls.lender.clone();
    let mut is_http1 = false;
    while !calls.is_over() {
        is_http1 = !is_http1;
        let http = calls.open(&lender.identity, is_http1);
        if let Some(token) = calls.request_token(&http, &lender).await {
            let form = [("inputType", "uprn"), ("value[]", "1")];
            let request = http.post(calls.url("base", "/api/v1/standard/chains"));
            let request = request.bearer_auth(token).form(&form);
            if let Some(answer) = calls.send("query with a new token", request).await {
                calls.verify(answer);
            }
        }
        tokio::time::sleep(TOKEN_PAUSE).await;
    }
}
