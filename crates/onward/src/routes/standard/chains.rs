//! `POST {base_url}/api/v1/standard/chains`: the chain query of document 1.

mod find;
mod query;

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, Method, header};
use signing::keyring::Purpose;

use self::find::Match;
use self::query::ChainQuery;
use crate::access::{BoundToken, Peer};
use crate::app::App;
use crate::form::Form;
use crate::problem::Problem;
use crate::rate_limit::Allowance;
use crate::registry::{Scope, Snapshot};
use crate::wire::chains::{self, Page};

/// How often a query is run again because a chain was dissolved between
/// finding it and reading it.
const ATTEMPTS_MAX: u32 = 5;

/// Answers which chains the asked properties are in, signed.
pub async fn query_chains(State(app): State<Arc<App>>, request: Request) -> Response {
    let mut allowance = None;
    let mut response = match answer(&app, request, &mut allowance).await {
        Ok(body) => {
            let kind = HeaderValue::from_static("application/json");
            ([(header::CONTENT_TYPE, kind)], body).into_response()
        }
        Err(problem) => problem.into_response(),
    };
    if let Some(limits) = &app.rate_limits {
        let allowance = allowance.unwrap_or_else(|| limits.untouched());
        allowance.show(response.headers_mut());
    }
    response
}

async fn answer(
    app: &App,
    request: Request,
    allowance: &mut Option<Allowance>,
) -> Result<Bytes, Problem> {
    let (parts, body) = request.into_parts();
    if parts.method != Method::POST {
        return Err(Problem::MethodNotAllowed("POST"));
    }
    let snapshot = app.registry.snapshot().await?;
    let peer = Peer::of(&parts)?;
    let scope = Scope::TransactionStatus;
    let caller = BoundToken::prove(app, &snapshot, &parts.headers, peer, scope).await?;
    if let Some(limits) = &app.rate_limits {
        let left = limits.count(&caller.client().id);
        *allowance = Some(left);
        left.check()?;
    }
    let form = Form::read(&parts.headers, body).await?;
    let query = ChainQuery::parse(parts.uri.query(), &form)?;
    for _attempt in 0..ATTEMPTS_MAX {
        if let Some(body) = attempt(app, &snapshot, &query).await? {
            return Ok(body);
        }
    }
    let dissolved = "the chains asked for change too quickly".to_owned();
    Err(Problem::Unavailable(1, dissolved))
}

/// One try; none if a chain was dissolved meanwhile.
async fn attempt(
    app: &App,
    snapshot: &Snapshot,
    query: &ChainQuery,
) -> Result<Option<Bytes>, Problem> {
    let matches = find::find_matches(&app.storage, query.values.clone()).await?;
    let page = Page {
        number: query.page,
        rows: query.rows,
        total: matches.len() as u64,
    };
    let mut documents = Vec::new();
    for Match { queried, hit } in matches.get(page.range()).unwrap_or_default() {
        let Some(document) = app.answers.find_document(&app.storage, hit).await? else {
            return Ok(None);
        };
        documents.push((document, queried.as_str()));
    }
    let rendered = documents
        .iter()
        .map(|(document, queried)| (&**document, *queried));
    let data = chains::render_data(rendered, &page)
        .map_err(|error| Problem::Internal(error.to_string()))?;
    let key = snapshot.keyring.current(Purpose::Provenance);
    let now = app.clock.now_seconds();
    Ok(Some(app.answers.sign(data, key, now).await?))
}
