//! `POST {base_url}/api/v1/standard/chains`: the chain query of document 1.

mod described;
mod find;
mod query;
pub mod versions;

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, header};
use signing::keyring::Purpose;
use tokens::rate_limit::Allowance;
use tokens::registry::{Scope, Snapshot};
use web::form::Form;
use web::problem::{FieldError, Problem};
use web::{authorization, rate_limit_fields};

use self::described::{ChainForm, PageParameters, Refusals};
use self::find::{Findings, Match};
use self::query::ChainQuery;
use super::ChainQueries;
use crate::answer::{BodyKey, Document};
use crate::limits;
use crate::wire::chains::explanation::{self, ValueExplanation};
use crate::wire::chains::{self, ChainAnswer, Page};

/// How often a query is attempted if the registry changes or a listing is withdrawn between two
/// reads.
const ATTEMPTS_MAX: u32 = 5;
/// Room for the header fields of an answer, so that their table need not grow.
const FIELDS: usize = 12;

/// Finds the chains of properties and signs the answer.
///
/// The answer has one chain for each value that identifies a property with a current listing, in
/// the order of the request. It leaves out all other values; with `explain=true` it says why. The
/// signature covers the complete `data` object. A page past the last one is empty.
///
/// With `asOf` the answer gives the state at that time. This needs the scope `transaction-history` besides.
/// Addresses mean the properties that they mean today.
#[utoipa::path(
    post,
    path = "/api/v1/standard/chains",
    tag = "Chains",
    params(PageParameters),
    request_body(
        description = "The properties to look for. `multipart/form-data` works as well.",
        content = ChainForm,
        content_type = "application/x-www-form-urlencoded",
    ),
    responses(
        (status = 200, description = "The signed chains.", body = ChainAnswer<'_>),
        Refusals,
    ),
    security(
        ("accessToken" = ["transaction-status"], "clientCertificate" = []),
        ("accessToken" = ["transaction-status", "transaction-history"], "clientCertificate" = []),
    ),
)]
pub async fn query_chains(State(queries): State<Arc<ChainQueries>>, request: Request) -> Response {
    let mut allowance = None;
    let mut response = match answer(&queries, request, &mut allowance).await {
        Ok(body) => {
            let kind = HeaderValue::from_static("application/json");
            let mut response = Response::new(Body::from(body));
            *response.headers_mut() = HeaderMap::with_capacity(FIELDS);
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
            response
        }
        Err(problem) => problem.into_response(),
    };
    if let Some(allowance) = allowance {
        rate_limit_fields::show(&allowance, response.headers_mut());
    }
    response
}

/// The state of one query. The body is read, and the request counted, only at the first attempt.
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
    // Use the cached registry at first. The read of the chains also returns the registry's
    // revision, which saves a separate read.
    let mut snapshot = queries.tokens.registry.known();
    for _attempt in 0..ATTEMPTS_MAX {
        let outcome = exchange.attempt(&snapshot).await;
        if let Ok(Some(body)) = outcome {
            return Ok(body);
        }
        // A client over its limit is refused without a read, even if the registry has changed.
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
    /// Makes one attempt with this snapshot of the registry. `None` if the registry has changed, or
    /// a listing was withdrawn meanwhile. The caller ignores a refusal if the registry has changed.
    async fn attempt(&mut self, snapshot: &Snapshot) -> Result<Option<Bytes>, Problem> {
        let queries = self.queries;
        let (tokens, scope) = (&queries.tokens, Scope::TransactionStatus);
        let caller = authorization::prove(tokens, snapshot, &self.parts, scope).await?;
        let limits = tokens.rate_limits.as_deref();
        rate_limit_fields::count(limits, caller.client(), self.allowance)?;
        let query = self.read_query().await?;
        if let Some(as_of) = query.as_of {
            caller.require(Scope::TransactionHistory)?;
            let now = queries.clock.now_seconds();
            let times = &queries.answers.times;
            times.note(&queries.storage, as_of, now).await?;
        }
        let Findings {
            revision,
            matches,
            explanation,
            ..
        } = find::find_matches(queries, caller.client(), &query).await?;
        if revision != snapshot.revision {
            return Ok(None);
        }
        let key = snapshot.keyring.current(Purpose::Provenance)?;
        let now = queries.clock.now_seconds();
        let note = || {
            // An explanation tells about all pages.
            let shown = match &explanation {
                Some(_explanation) => matches.as_slice(),
                None => page_of(&query, &matches).1,
            };
            let properties = shown.iter().map(|shown| shown.current.property);
            queries.accesses.note(now, &caller.client().id, properties);
        };
        // Most queries ask for one property, and the cache often has the answer.
        let only = matches
            .first()
            .filter(|_| matches.len() == 1 && query.page == 1);
        let known = only.and_then(|Match { queried, current }| {
            let (chain, version) = (current.chain, current.version);
            let past = query.past(current.erased);
            let wanted = BodyKey::new(chain, version, queried, query.rows, past);
            queries.answers.find_signed(&wanted, key, now)
        });
        if let Some(signed) = known {
            note();
            return explain(signed.body.clone(), explanation.as_deref(), &query).map(Some);
        }
        let Some((data, documents)) = render(queries, &query, &matches).await? else {
            return Ok(None);
        };
        let cost = data.len() / limits::ANSWER_BYTES_PER_REQUEST;
        queries.tokens.owe(&caller.client().id, cost as u64);
        let signed = queries.answers.sign(data, key, now).await?;
        if let (Some(asked), Some(shown)) = (only, documents.first()) {
            let (chain, version) = (shown.chain, shown.version);
            let past = query.past(shown.erased);
            let shown = BodyKey::new(chain, version, &asked.queried, query.rows, past);
            queries.answers.keep(shown, &signed);
        }
        note();
        explain(signed.body.clone(), explanation.as_deref(), &query).map(Some)
    }

    /// Parses the body at the first call and returns the same result later.
    async fn read_query(&mut self) -> Result<ChainQuery, Problem> {
        if let Some(body) = self.body.take() {
            let form = Form::read(&self.parts.headers, body).await;
            let in_url = self.parts.uri.query();
            let now = self.queries.clock.now_seconds();
            self.query = Some(form.and_then(|form| ChainQuery::parse(in_url, &form, now)));
        }
        let missing = || Err(Problem::Internal("a query was not read".to_owned()));
        self.query.clone().unwrap_or_else(missing)
    }
}

/// The answer with its explanation, if the query asks for one (S-58).
fn explain(
    answer: Bytes,
    explanation: Option<&[ValueExplanation]>,
    query: &ChainQuery,
) -> Result<Bytes, Problem> {
    let Some(explanation) = explanation else {
        return Ok(answer);
    };
    explanation::add_to(&answer, explanation, &query.ignored_fields)
        .map_err(|error| Problem::Internal(error.to_string()))
}

/// The page that the query asks for, and its matches.
fn page_of<'m>(query: &ChainQuery, matches: &'m [Match]) -> (Page, &'m [Match]) {
    let page = Page {
        number: query.page,
        rows: query.rows,
        total: matches.len() as u64,
    };
    let shown = matches.get(page.range()).unwrap_or_default();
    (page, shown)
}

/// The refusal of an answer that would be too long.
pub fn too_long(bytes: usize) -> Problem {
    let most = limits::ANSWER_BYTES_MAX;
    Problem::ValuesInvalid(vec![FieldError {
        pointer: "rows".to_owned(),
        detail: format!(
            "the chains of this page have {bytes} bytes, at most {most} are answered at once: ask for \
             fewer rows a page"
        ),
    }])
}

/// Renders document 1's `data` object for a page of matches, and returns it with its documents.
/// `None` if a listing was withdrawn meanwhile.
async fn render(
    queries: &ChainQueries,
    query: &ChainQuery,
    matches: &[Match],
) -> Result<Option<(Vec<u8>, Vec<Document>)>, Problem> {
    let (page, shown) = page_of(query, matches);
    let Some(documents) = find_documents(queries, query, shown).await? else {
        return Ok(None);
    };
    let bytes: usize = documents.iter().map(|document| document.len()).sum();
    if bytes > limits::ANSWER_BYTES_MAX {
        return Err(too_long(bytes));
    }
    let texts = shown.iter().map(|shown| shown.queried.as_str());
    let rendered = documents.iter().map(|document| &**document).zip(texts);
    let past = query.past(sum_erased(&documents));
    let data = chains::render_data(rendered, &page, past)
        .map_err(|error| Problem::Internal(error.to_string()))?;
    Ok(Some((data, documents)))
}

/// How many sales the chains of a page lack because they were erased. A chain that several values led to counts
/// once.
fn sum_erased(documents: &[Document]) -> i64 {
    let each = documents
        .iter()
        .map(|document| (document.chain, document.erased));
    each.collect::<HashMap<_, _>>().values().sum()
}

/// The documents of these matches, as they are or were at the time that the query names.
async fn find_documents(
    queries: &ChainQueries,
    query: &ChainQuery,
    shown: &[Match],
) -> Result<Option<Vec<Document>>, Problem> {
    let (answers, storage) = (&queries.answers, &queries.storage);
    let mut documents = Vec::with_capacity(shown.len());
    for Match { current, .. } in shown {
        let (chain, version) = (current.chain, current.version);
        let found = match query.as_of {
            Some(_) => {
                let key = (chain, version, current.erased);
                answers.find_version(storage, key).await?
            }
            None => answers.find_document(storage, current).await?,
        };
        let Some(document) = found else {
            return Ok(None);
        };
        documents.push(document);
    }
    Ok(Some(documents))
}
