//! `POST {base_url}/api/v1/evidence`: the evidence pack of an answer (S-62).

mod described;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use chain::ids::PropertyId;
use evidence::pack::{Answer, MAX_PACK_BYTES};
use http::header;
use jiff::Timestamp;
use serde_json::Value;
use state_log::packs::NoPack;
use tokens::rate_limit::Allowance;
use tokens::registry::Scope;
use web::json_body::JsonBody;
use web::problem::Problem;
use web::{authorization, known_parameters, rate_limit_fields};

use self::described::Refusals;
use super::ChainQueries;
use crate::limits;
use crate::wire::chains::{ChainAnswer, EvidencePack};

const NO_ANSWER: &str =
    "The body is not an answer of the chain query: send the bytes of the answer unaltered.";
const FOREIGN: &str = "No key of this service signed this answer: send the bytes of the answer \
    unaltered, to the service that gave it.";
const NO_STATE: &str = "This answer shows no chain of the chain query, so it has no evidence. Instead of one \
    version of a chain, query the chain with `asOf`.";
const NOT_LOGGED: &str = "The log does not show this state and its key yet: ask again in 1 s.";
const NOT_KEPT: &str = "A state in this answer is not kept any more, is in no log, or showed a sale that was erased, so it has no \
     evidence.";
const TOO_LONG: &str = "The evidence of this answer is longer than 4 MiB: query with fewer `rows`, and send each \
    page by itself.";
const NO_LOG: &str = "This service keeps no log of states, so it makes no evidence.";

/// Makes the evidence pack of an answer.
///
/// The body is an answer of the chain query, as it was received. The pack proves offline that each chain in it
/// was a state of this service, to whoever has the policy of the log. A state is in the log within three seconds
/// of its commit; before that this call answers 409. An answer with `asOf` needs the scope
/// `transaction-history` besides.
#[utoipa::path(
    post,
    path = "/api/v1/evidence",
    tag = "Chains",
    request_body(
        description = "The answer.",
        content = ChainAnswer<'_>,
        content_type = "application/json",
    ),
    responses(
        (
            status = 200,
            description = "The pack, in RFC 8785 form. Keep its bytes unaltered.",
            body = EvidencePack<'_>,
            content_type = "application/vnd.onward.evidence+json",
        ),
        Refusals,
    ),
    security(
        ("accessToken" = ["transaction-status"], "clientCertificate" = []),
        ("accessToken" = ["transaction-status", "transaction-history"], "clientCertificate" = []),
    ),
)]
pub(crate) async fn make_evidence(
    State(queries): State<Arc<ChainQueries>>,
    request: Request,
) -> Response {
    let mut allowance = None;
    let made = answer(&queries, request, &mut allowance).await;
    let kind = [(header::CONTENT_TYPE, evidence::MEDIA_TYPE)];
    let mut response = made.map(|pack| (kind, pack)).into_response();
    if let Some(allowance) = allowance {
        rate_limit_fields::show(&allowance, response.headers_mut());
    }
    response
}

async fn answer(
    queries: &ChainQueries,
    request: Request,
    allowance: &mut Option<Allowance>,
) -> Result<Vec<u8>, Problem> {
    let (parts, body) = request.into_parts();
    if parts.method != http::Method::POST {
        return Err(Problem::MethodNotAllowed(Some("POST")));
    }
    let snapshot = queries.tokens.registry.snapshot().await?;
    let (tokens, scope) = (&queries.tokens, Scope::TransactionStatus);
    let caller = authorization::prove(tokens, &snapshot, &parts, scope).await?;
    rate_limit_fields::count(tokens.rate_limits.as_deref(), caller.client(), allowance)?;
    known_parameters::check(parts.uri.query().unwrap_or_default(), &[])?;
    let client = Arc::clone(&caller.client().id);
    let _turn = queries.turns.ask_for_pack(&client).await;
    // The pack before this one may have been expensive.
    let limits = tokens.rate_limits.as_ref();
    if let Some(seconds) = limits.and_then(|limits| limits.pay(&client)) {
        return Err(Problem::RateLimited(seconds));
    }
    let body = JsonBody::read_at_most(MAX_PACK_BYTES, &parts.headers, body).await?;
    let body = body.json()?;
    let cost = body.len() / limits::ANSWER_BYTES_PER_REQUEST;
    tokens.owe(&client, cost as u64);
    let _place = queries.turns.make_pack().await;
    let received = tokio::task::spawn_blocking(move || Received::parse(&body));
    let received = received.await;
    let received = received.map_err(|error| Problem::Internal(error.to_string()))??;
    let cost = received.chains / limits::PROVED_CHAINS_PER_REQUEST;
    tokens.owe(&client, cost as u64);
    let has_history = caller.require(Scope::TransactionHistory).is_ok();
    let (needed, at) = if received.is_past || has_history {
        (Scope::TransactionHistory, received.at)
    } else {
        // Nothing signs `signedAt` (S-59), so it chooses no version for a caller that may not see the past.
        (scope, i64::MAX)
    };
    caller.require(needed)?;
    // The body may have taken its time.
    let proving = queries
        .storage
        .read_by_index(move |read| Ok::<_, Problem>(caller.prove_scope_again(read, needed)?));
    proving.await?;
    let making = queries.state_log.make_pack(received.answer, at);
    let pack = making.await.map_err(refuse)?;
    let now = queries.clock.now_seconds();
    let shown = received.properties.into_iter();
    queries.accesses.note(now, &client, shown);
    Ok(pack)
}

/// An answer of the chain query.
struct Received {
    answer: Answer,
    properties: Vec<PropertyId>,
    /// The number of its chains.
    chains: usize,
    /// Whether it is about a past time.
    is_past: bool,
    /// The time that it is about, or otherwise the time at which it claims to be signed. Unix seconds.
    at: i64,
}

impl Received {
    fn parse(body: &[u8]) -> Result<Self, Problem> {
        let (answer, signed_at) =
            Answer::with_time_from_body(body).map_err(|_shape| Problem::NotProvable(NO_ANSWER))?;
        let as_of = answer.data.get("asOf").and_then(Value::as_str);
        let at: Option<Timestamp> = as_of
            .or(signed_at.as_deref())
            .and_then(|time| time.parse().ok());
        let chains = answer.chains().unwrap_or_default();
        let properties = chains
            .iter()
            .filter_map(|chain| chain["properties"].as_array());
        let ids = properties.flatten().filter_map(|one| one["id"].as_i64());
        Ok(Self {
            properties: ids.map(PropertyId).collect(),
            chains: chains.len(),
            is_past: as_of.is_some(),
            at: at.map_or(i64::MAX, Timestamp::as_second),
            answer,
        })
    }
}

/// The refusal of an answer that gets no pack.
pub(crate) fn refuse(reason: NoPack) -> Problem {
    match reason {
        NoPack::NotLogged => Problem::NotLogged(NOT_LOGGED),
        NoPack::NoLog => Problem::NotFound(NO_LOG),
        NoPack::Foreign => Problem::NotProvable(FOREIGN),
        NoPack::NoState => Problem::NotProvable(NO_STATE),
        NoPack::NotKept => Problem::NotProvable(NOT_KEPT),
        NoPack::TooLong => Problem::NotProvable(TOO_LONG),
        NoPack::Fault(fault) => fault.into(),
    }
}
