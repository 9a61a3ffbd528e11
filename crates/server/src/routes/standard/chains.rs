//! `POST {base_url}/api/v1/standard/chains`: the chain query of document 1.

mod described;
mod find;
mod query;

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderValue, Method, header};
use signing::keyring::Purpose;
use tokens::rate_limit::Allowance;
use tokens::registry::{Scope, Snapshot};

use self::described::{ChainForm, PageParameters, Refusals};
use self::find::Match;
use self::query::ChainQuery;
use super::ChainQueries;
use crate::answer::Document;
use crate::form::Form;
use crate::problem::Problem;
use crate::wire::chains::{self, ChainAnswer, Page};
use crate::{authorization, rate_limit_fields};

/// How often a query is tried again because the registry changed, or a listing
/// was withdrawn, between two of its reads.
const ATTEMPTS_MAX: u32 = 5;

/// Answers which chains the asked properties are in, signed.
///
/// One element for each value that names a property with a current listing, in
/// the order asked; values that name none are left out. The signature is over
/// the whole `data` object. A page past the end is empty.
#[utoipa::path(
    post,
    path = "/api/v1/standard/chains",
    tag = "Chains",
    params(PageParameters),
    request_body(
        description = "What to look for.",
        content(
            (ChainForm = "multipart/form-data"),
            (ChainForm = "application/x-www-form-urlencoded"),
        ),
    ),
    responses(
        (status = 200, description = "The chains, signed.", body = ChainAnswer<'_>),
        Refusals,
    ),
    security(("accessToken" = ["transaction-status"], "clientCertificate" = [])),
)]
pub(crate) async fn query_chains(
    State(queries): State<Arc<ChainQueries>>,
    request: Request,
) -> Response {
    let mut allowance = None;
    let mut response = match answer(&queries, request, &mut allowance).await {
        Ok(body) => {
            let kind = HeaderValue::from_static("application/json");
            ([(header::CONTENT_TYPE, kind)], body).into_response()
        }
        Err(problem) => problem.into_response(),
    };
    if let Some(allowance) = allowance {
        rate_limit_fields::show(&allowance, response.headers_mut());
    }
    response
}

/// One query on its way. What was read or counted once is kept, for another try.
struct Exchange<'a> {
    queries: &'a ChainQueries,
    parts: Parts,
    body: Option<Body>,
    query: Option<Result<ChainQuery, Problem>>,
    allowance: &'a mut Option<Allowance>,
}

async fn answer(
    queries: &ChainQueries,
    request: Request,
    allowance: &mut Option<Allowance>,
) -> Result<Bytes, Problem> {
    let (parts, body) = request.into_parts();
    if parts.method != Method::POST {
        return Err(Problem::MethodNotAllowed(Some("POST")));
    }
    let mut exchange = Exchange {
        queries,
        parts,
        body: Some(body),
        query: None,
        allowance,
    };
    // The registry as this node knows it. Whether it still stands is read
    // together with the chains, which saves a read of its own.
    let mut snapshot = queries.tokens.registry.known();
    for _attempt in 0..ATTEMPTS_MAX {
        let outcome = exchange.attempt(&snapshot).await;
        if let Ok(Some(body)) = outcome {
            return Ok(body);
        }
        // A client past its limit costs the others no read, whatever the registry says by now.
        if let Err(problem @ Problem::RateLimited(_)) = outcome {
            return Err(problem);
        }
        let current = queries.tokens.registry.snapshot().await?;
        match outcome {
            Err(problem) if Arc::ptr_eq(&current, &snapshot) => return Err(problem),
            Ok(_) | Err(_) => snapshot = current,
        }
    }
    let reason = "the registry or the chains asked for change too quickly".to_owned();
    Err(Problem::Unavailable(1, reason))
}

impl Exchange<'_> {
    /// One try with the registry in this state; none if the registry is another
    /// by now, or a listing was withdrawn meanwhile. A refusal counts only if the
    /// registry still stands.
    async fn attempt(&mut self, snapshot: &Snapshot) -> Result<Option<Bytes>, Problem> {
        let queries = self.queries;
        let (tokens, scope) = (&queries.tokens, Scope::TransactionStatus);
        let caller = authorization::prove(tokens, snapshot, &self.parts, scope).await?;
        let limits = tokens.rate_limits.as_deref();
        rate_limit_fields::count(limits, caller.client(), self.allowance)?;
        let query = self.read_query().await?;
        let (revision, matches) =
            find::find_matches(&queries.storage, Arc::clone(&query.values)).await?;
        if revision != snapshot.revision {
            return Ok(None);
        }
        let key = snapshot.keyring.current(Purpose::Provenance);
        let now = queries.clock.now_seconds();
        // Most queries ask for one property, whose answer is often known.
        let only = matches
            .first()
            .filter(|_| matches.len() == 1 && query.page == 1);
        let known = only.and_then(|Match { queried, hit }| {
            queries
                .answers
                .find_body(hit, queried, query.rows, (key, now))
        });
        if known.is_some() {
            return Ok(known);
        }
        let Some((data, documents)) = render(queries, &query, &matches).await? else {
            return Ok(None);
        };
        let signed = queries.answers.sign(data, key, now).await?;
        if let (Some(asked), Some(shown)) = (only, documents.first()) {
            let place = (shown.chain, shown.version);
            queries
                .answers
                .keep_body(place, &asked.queried, query.rows, (key, &signed));
        }
        Ok(Some(signed.body))
    }

    /// Reads the body, once.
    async fn read_query(&mut self) -> Result<ChainQuery, Problem> {
        if let Some(body) = self.body.take() {
            let form = Form::read(&self.parts.headers, body).await;
            let in_url = self.parts.uri.query();
            self.query = Some(form.and_then(|form| ChainQuery::parse(in_url, &form)));
        }
        let missing = || Err(Problem::Internal("a query was not read".to_owned()));
        self.query.clone().unwrap_or_else(missing)
    }
}

/// Document 1's `data` object for a page of matches, and the documents in it;
/// none if a listing was withdrawn meanwhile.
async fn render(
    queries: &ChainQueries,
    query: &ChainQuery,
    matches: &[Match],
) -> Result<Option<(Vec<u8>, Vec<Document>)>, Problem> {
    let page = Page {
        number: query.page,
        rows: query.rows,
        total: matches.len() as u64,
    };
    let shown = matches.get(page.range()).unwrap_or_default();
    let mut documents = Vec::with_capacity(shown.len());
    for Match { hit, .. } in shown {
        let Some(document) = queries.answers.find_document(&queries.storage, hit).await? else {
            return Ok(None);
        };
        documents.push(document);
    }
    let texts = shown.iter().map(|shown| shown.queried.as_str());
    let rendered = documents.iter().map(|document| &**document).zip(texts);
    let data = chains::render_data(rendered, &page)
        .map_err(|error| Problem::Internal(error.to_string()))?;
    Ok(Some((data, documents)))
}
