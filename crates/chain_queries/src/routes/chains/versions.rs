//! `GET {base_url}/api/v1/standard/chains/{chainId}/versions`: the kept versions of a chain, and
//! `…/versions/{version}`: one of them, signed (S-60).

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use chain::ids::{ChainId, PropertyId};
use http::header;
use http::request::Parts;
use serde::Deserialize;
use signing::keyring::Purpose;
use storage::sealed;
use tokens::access::BoundToken;
use tokens::rate_limit::Allowance;
use tokens::registry::{Scope, Snapshot};
use web::page::{Query, refuse_errors};
use web::problem::Problem;
use web::routing::only_get;
use web::segments::Segments;
use web::{authorization, rate_limit_fields};

use super::described::{
    ChainInPath, UNKNOWN_VERSION, VersionInPath, VersionPages, VersionRefusals,
};
use crate::ChainQueries;
use crate::answer::BodyKey;
use crate::limits;
use crate::past::Past;
use crate::wire::chains::{self, VersionAnswer};
use crate::wire::versions::ChainVersions;

/// Lists the versions of a chain that are kept.
///
/// Each change of anything that a chain shows makes a new version. A version is in the list within a second.
#[utoipa::path(
    get,
    path = "/api/v1/standard/chains/{chainId}/versions",
    tag = "Chains",
    params(ChainInPath, VersionPages),
    responses(
        (status = 200, description = "The versions, the oldest first.", body = ChainVersions),
        VersionRefusals,
    ),
    security(("accessToken" = ["transaction-status", "transaction-history"], "clientCertificate" = [])),
)]
pub async fn list_chain_versions(
    State(queries): State<Arc<ChainQueries>>,
    segments: Segments,
    request: Request,
) -> Response {
    let parts = request.into_parts().0;
    let mut allowance = None;
    let listed = list(&queries, &segments, &parts, &mut allowance).await;
    with_rate_limit(listed.map(Json), allowance)
}

/// Answers with one version of a chain.
///
/// The signature covers the complete `data` object. `chain` is what chain queries answered while this
/// version was the present one, without `queriedAddress`.
#[utoipa::path(
    get,
    path = "/api/v1/standard/chains/{chainId}/versions/{version}",
    tag = "Chains",
    params(ChainInPath, VersionInPath),
    responses(
        (status = 200, description = "The signed version.", body = VersionAnswer<'_>),
        VersionRefusals,
    ),
    security(("accessToken" = ["transaction-status", "transaction-history"], "clientCertificate" = [])),
)]
pub async fn find_chain_version(
    State(queries): State<Arc<ChainQueries>>,
    segments: Segments,
    request: Request,
) -> Response {
    let parts = request.into_parts().0;
    let mut allowance = None;
    let found = find(&queries, &segments, &parts, &mut allowance).await;
    let kind = [(header::CONTENT_TYPE, "application/json")];
    with_rate_limit(found.map(|body| (kind, body)), allowance)
}

/// The answer with the fields of the caller's rate limit, if the request was counted.
fn with_rate_limit(
    answer: Result<impl IntoResponse, Problem>,
    allowance: Option<Allowance>,
) -> Response {
    let mut response = answer.into_response();
    if let Some(allowance) = allowance {
        rate_limit_fields::show(&allowance, response.headers_mut());
    }
    response
}

/// Proves a caller that may see past states, and counts its request.
async fn admit(
    queries: &ChainQueries,
    snapshot: &Snapshot,
    parts: &Parts,
    allowance: &mut Option<Allowance>,
) -> Result<BoundToken, Problem> {
    only_get(&parts.method)?;
    let (tokens, scope) = (&queries.tokens, Scope::TransactionStatus);
    let caller = authorization::prove(tokens, snapshot, parts, scope).await?;
    rate_limit_fields::count(tokens.rate_limits.as_deref(), caller.client(), allowance)?;
    caller.require(Scope::TransactionHistory)?;
    Ok(caller)
}

fn read_chain(segments: &Segments) -> Result<ChainId, Problem> {
    let id = segments.text(0).parse();
    id.map_err(|_no_id| Problem::NotFound(UNKNOWN_VERSION))
}

async fn list(
    queries: &ChainQueries,
    segments: &Segments,
    parts: &Parts,
    allowance: &mut Option<Allowance>,
) -> Result<ChainVersions, Problem> {
    let snapshot = queries.tokens.registry.snapshot().await?;
    admit(queries, &snapshot, parts, allowance).await?;
    let chain = read_chain(segments)?;
    let (page, rows) = read_page(&Query::parse(parts.uri.query())?)?;
    let offset = (page - 1).saturating_mul(rows);
    let (total, found) = queries
        .storage
        .read(move |read| sealed::list_versions(read, chain, rows, offset))
        .await?;
    if total == 0 {
        return Err(Problem::NotFound(UNKNOWN_VERSION));
    }
    let page = chains::Page {
        number: page.unsigned_abs(),
        rows: rows.unsigned_abs(),
        total: total.unsigned_abs(),
    };
    Ok(ChainVersions {
        data: found.into_iter().map(Into::into).collect(),
        pagination: page.into(),
    })
}

/// The number of a page, and how many versions it has.
fn read_page(query: &Query) -> Result<(i64, i64), Problem> {
    let [page_max, rows_max, rows_default] =
        [limits::PAGE_MAX, limits::ROWS_MAX, limits::ROWS_DEFAULT]
            .map(|limit| i64::try_from(limit).unwrap_or(i64::MAX));
    let mut errors = Vec::new();
    let rows = query.integer("rows", 1..=rows_max, &mut errors);
    let page = query.integer("page", 1..=page_max, &mut errors);
    refuse_errors(errors)?;
    Ok((page.unwrap_or(1), rows.unwrap_or(rows_default)))
}

async fn find(
    queries: &ChainQueries,
    segments: &Segments,
    parts: &Parts,
    allowance: &mut Option<Allowance>,
) -> Result<Bytes, Problem> {
    let snapshot = queries.tokens.registry.snapshot().await?;
    let caller = admit(queries, &snapshot, parts, allowance).await?;
    let chain = read_chain(segments)?;
    let version = segments
        .number(1)
        .ok_or(Problem::NotFound(UNKNOWN_VERSION))?;
    let key = snapshot.keyring.current(Purpose::Provenance)?;
    let now = queries.clock.now_seconds();
    let looking = queries
        .storage
        .lookup(move |read| sealed::find_time(read, chain, version));
    let found: Option<(i64, i64)> = looking.await?;
    let (as_of, erased) = found.ok_or(Problem::NotFound(UNKNOWN_VERSION))?;
    let past = Past { as_of, erased };
    let wanted = BodyKey::of_version(chain, version, past);
    let (answers, storage) = (&queries.answers, &queries.storage);
    let signed = if let Some(signed) = answers.find_signed(&wanted, key, now) {
        signed
    } else {
        let asked = (chain, version, erased);
        let document = answers.find_version(storage, asked).await?;
        let document = document.ok_or(Problem::NotFound(UNKNOWN_VERSION))?;
        let past = Past {
            as_of,
            erased: document.erased,
        };
        let data = chains::render_version(&document, version, past)
            .map_err(|error| Problem::Internal(error.to_string()))?;
        let cost = data.len() / limits::ANSWER_BYTES_PER_REQUEST;
        queries.tokens.owe(&caller.client().id, cost as u64);
        let signed = answers.sign(data, key, now).await?;
        answers.keep(wanted, &signed);
        signed
    };
    if queries.accesses.is_kept() {
        let shown = list_shown(&signed.body)?;
        queries.accesses.note(now, &caller.client().id, shown);
    }
    Ok(signed.body.clone())
}

/// The properties that an answer shows.
fn list_shown(body: &[u8]) -> Result<impl Iterator<Item = PropertyId>, Problem> {
    #[derive(Deserialize)]
    struct Answer {
        data: Data,
    }
    #[derive(Deserialize)]
    struct Data {
        chain: Chain,
    }
    #[derive(Deserialize)]
    struct Chain {
        #[serde(default)]
        properties: Vec<Property>,
    }
    #[derive(Deserialize)]
    struct Property {
        id: i64,
    }
    let answer: Answer =
        serde_json::from_slice(body).map_err(|error| Problem::Internal(error.to_string()))?;
    let properties = answer.data.chain.properties.into_iter();
    Ok(properties.map(|property| PropertyId(property.id)))
}
