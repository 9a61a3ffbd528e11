//! Records a change, its history and its kept answer in one transaction.

use std::fmt;
use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use axum::response::{IntoResponse, Response};
use chain::consent::ForeignLinks;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use observe::trace;
use serde::Serialize;
use serde_json::Value;
use signing::{base64url, canonical};
use storage::Write;
use storage::current_listings::Settling;
use storage::idempotency::{self, AnswerKey, KeptAnswer};
use storage::proposals::StoredProposal;
use tracing::Instrument as _;

use super::caller::BranchCaller;
use super::fields::Fields;
use super::history::HistoryWriter;
use super::json_body::JsonBody;
use super::page::Query;
use super::quotas;
use super::refusal::Refusal;
use crate::limits;
use crate::listing_management::ListingManagement;
use crate::problem::Problem;
use crate::wire::management::proposal::ProposalResource;
use crate::wire::management::{Data, SuccessAnswer};

const IDEMPOTENCY_KEY: &str = "idempotency-key";
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// A request for a change. Its body is not parsed yet.
#[derive(Debug, Clone)]
pub struct WriteRequest {
    precondition: Option<Precondition>,
    path: String,
    query: Option<String>,
    key: Option<String>,
    digest: String,
    body: JsonBody,
}

/// A check before a change, in the same transaction. Its refusal is not kept.
#[derive(Clone)]
struct Precondition(Arc<Check>);

type Check = dyn Fn(&mut Write<'_>, &Author<'_>) -> Result<(), Problem> + Send + Sync;

impl fmt::Debug for Precondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Precondition")
    }
}

/// The answer to a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    status: StatusCode,
    body: String,
    location: Option<String>,
}

/// The author and time of a change.
#[derive(Debug, Clone, Copy)]
pub struct Author<'a> {
    /// The proven caller.
    pub caller: &'a BranchCaller,
    /// Unix seconds.
    pub now: i64,
    /// The same moment in Unix milliseconds.
    pub now_milliseconds: i64,
    /// How a link to the listing of another branch comes about (S-47).
    pub foreign_links: ForeignLinks,
    /// The setting `offer_idle_days` in seconds (S-6).
    pub offer_idle_seconds: i64,
}

impl<S: Send + Sync> FromRequest<S> for WriteRequest {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let key = read_key(request.headers())?;
        let path = request.uri().path().to_owned();
        let query = request.uri().query().map(ToOwned::to_owned);
        let method = request.method().clone();
        let body = JsonBody::from_request(request, state).await?;
        Ok(Self {
            precondition: None,
            path,
            query,
            key,
            digest: identify(method.as_str(), &body),
            body,
        })
    }
}

/// The identity of a request, to which its method and its body belong.
fn identify(method: &str, body: &JsonBody) -> String {
    let identity = [method.as_bytes(), b" ", body.bytes()].concat();
    base64url::encode(&canonical::digest(&identity))
}

impl WriteRequest {
    /// The request that a form of the console stands for. `path` is the form's, and `key` its
    /// `idempotency_key`, so that a form sent twice changes once.
    pub(crate) fn of_form(path: &str, key: &str, body: &Value) -> Result<Self, Problem> {
        let mut headers = HeaderMap::new();
        let value = HeaderValue::from_str(key).map_err(|_error| key_malformed())?;
        headers.insert(IDEMPOTENCY_KEY, value);
        let body = JsonBody::of_value(body);
        Ok(Self {
            precondition: None,
            path: path.to_owned(),
            query: None,
            key: read_key(&headers)?,
            digest: identify("FORM", &body),
            body,
        })
    }

    /// Makes the change only if this check passes.
    pub(crate) fn only_if(
        mut self,
        check: impl Fn(&mut Write<'_>, &Author<'_>) -> Result<(), Problem> + Send + Sync + 'static,
    ) -> Self {
        self.precondition = Some(Precondition(Arc::new(check)));
        self
    }

    fn check(&self, write: &mut Write<'_>, author: &Author<'_>) -> Result<(), Problem> {
        let precondition = self.precondition.as_ref();
        precondition.map_or(Ok(()), |precondition| precondition.0(write, author))
    }

    /// Parses the query string.
    pub fn query(&self) -> Result<Query, Problem> {
        Query::parse(self.query.as_deref())
    }

    /// Refuses a JSON body with members, for a call that has none (S-57). Another body is ignored.
    pub fn refuse_members(&self) -> Result<(), Problem> {
        if self.body.is_sent_as_json() {
            self.fields()?.finish()?;
        }
        Ok(())
    }

    /// Parses the members of the JSON body.
    pub fn fields(&self) -> Result<Fields, Problem> {
        self.body.fields()
    }
}

/// Runs `work` in one transaction. With an `Idempotency-Key`, the same transaction keeps the first
/// answer, even a refusal, and repeats it for 24 h (S-52). `work` may run again after a conflict,
/// and must refuse before it changes anything.
pub async fn record(
    management: &ListingManagement,
    caller: BranchCaller,
    request: WriteRequest,
    mut work: impl FnMut(&mut Write<'_>, &Author<'_>) -> Result<Reply, Problem> + Send + 'static,
) -> Result<Response, Problem> {
    let now = management.clock.now_seconds();
    let now_milliseconds = management.clock.now_milliseconds();
    let offer_idle_seconds = management.offer_idle_seconds;
    let foreign_links = management.foreign_links;
    let refusal = match &request.key {
        Some(_key) => quotas::refuse_kept_answer(management, caller.actor()).await?,
        None => None,
    };
    let (reply, is_replayed) = management
        .storage
        .write(move |write| {
            let author = Author {
                caller: &caller,
                now,
                now_milliseconds,
                foreign_links,
                offer_idle_seconds,
            };
            let Some(key) = request.key.as_deref() else {
                return work(write, &author).map(|reply| (reply, false));
            };
            let answer_key = AnswerKey {
                client_id: caller.actor(),
                path: &request.path,
                key,
            };
            if let Some(kept) = idempotency::find_answer(write, &answer_key, now)? {
                return replay(&kept, &request).map(|reply| (reply, true));
            }
            if let Some(refusal) = &refusal {
                return Err(refusal.clone());
            }
            request.check(write, &author)?;
            let reply = match work(write, &author) {
                Ok(reply) => reply,
                Err(problem) => Reply::of_refusal(problem)?,
            };
            let kept = KeptAnswer {
                body_digest: request.digest.clone(),
                status: i64::from(reply.status.as_u16()),
                body: reply.body.clone(),
            };
            let expires_at = now + limits::IDEMPOTENCY_SECONDS;
            idempotency::keep_answer(write, &answer_key, &kept, expires_at)?;
            Ok::<_, Problem>((reply, false))
        })
        .instrument(trace::step("store write"))
        .await?;
    management.wake.wake();
    let mut response = reply.into_response();
    if is_replayed {
        let headers = response.headers_mut();
        headers.insert(REPLAYED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

fn replay(kept: &KeptAnswer, request: &WriteRequest) -> Result<Reply, Problem> {
    if kept.body_digest != request.digest {
        return Err(key_reused().into());
    }
    let status = u16::try_from(kept.status).ok();
    let status = status.and_then(|status| StatusCode::from_u16(status).ok());
    let status = status.ok_or_else(|| Problem::Internal("a kept answer's status".to_owned()))?;
    let is_created = status == StatusCode::CREATED;
    Ok(Reply {
        status,
        body: kept.body.clone(),
        location: is_created
            .then(|| locate(&request.path, &kept.body))
            .flatten(),
    })
}

/// The URL of a created resource: the path of the request and the id in the answer.
fn locate(path: &str, body: &str) -> Option<String> {
    let body: Value = serde_json::from_str(body).ok()?;
    let id = body.pointer("/data/id")?.as_i64()?;
    Some(format!("{path}/{id}"))
}

impl Reply {
    /// An answer with this body.
    pub fn json(status: StatusCode, body: &impl Serialize) -> Result<Self, Problem> {
        let body =
            serde_json::to_string(body).map_err(|error| Problem::Internal(error.to_string()))?;
        Ok(Self {
            status,
            body,
            location: None,
        })
    }

    /// A link that was proposed instead of made (S-47).
    pub fn proposed(proposal: &StoredProposal) -> Result<Self, Problem> {
        let data = ProposalResource::from(proposal);
        Self::json(StatusCode::ACCEPTED, &Data { data })
    }

    /// The simple success response.
    pub fn success() -> Result<Self, Problem> {
        Self::json(StatusCode::OK, &SuccessAnswer::default())
    }

    /// Sets the URL of the new resource.
    #[must_use]
    pub fn at(mut self, location: String) -> Self {
        self.location = Some(location);
        self
    }

    /// Turns a refusal by the rules into an answer that can be kept. Other problems stay errors.
    fn of_refusal(problem: Problem) -> Result<Self, Problem> {
        if !matches!(problem, Problem::Refused(_) | Problem::ValuesInvalid(_)) {
            return Err(problem);
        }
        let (status, body) = problem.to_failure();
        Self::json(status, &body)
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        let kind = HeaderValue::from_static("application/json");
        let mut response = (self.status, [(header::CONTENT_TYPE, kind)], self.body).into_response();
        let location = self.location.map(HeaderValue::try_from);
        if let Some(Ok(location)) = location {
            response.headers_mut().insert(header::LOCATION, location);
        }
        response
    }
}

impl Author<'_> {
    /// Decides in the name of this author which listings are current.
    pub fn settling(&self) -> Settling<'_> {
        Settling {
            actor: self.caller.actor(),
            now: self.now,
            idle_seconds: self.offer_idle_seconds,
        }
    }

    /// Writes the history in the name of this author.
    pub fn history(&self) -> HistoryWriter<'_> {
        HistoryWriter {
            actor: self.caller.actor(),
            now: self.now,
        }
    }
}

/// Reads the `Idempotency-Key`: at most 255 visible ASCII characters.
fn read_key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut fields = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(field) = fields.next() else {
        return Ok(None);
    };
    let is_sane = fields.next().is_none()
        && (1..=limits::IDEMPOTENCY_KEY_CHARACTERS_MAX).contains(&field.len())
        && field.as_bytes().iter().all(u8::is_ascii_graphic);
    let text = field.to_str().ok().filter(|_| is_sane);
    let text = text.ok_or_else(key_malformed)?;
    Ok(Some(text.to_owned()))
}

/// The refusal of a malformed key.
pub fn key_malformed() -> Refusal {
    let detail = format!(
        "must be sent once, with 1 to {} visible ASCII characters",
        limits::IDEMPOTENCY_KEY_CHARACTERS_MAX
    );
    Refusal::invalid("value_invalid", "Idempotency-Key", detail)
}

/// The refusal of a key that was used for another write.
pub fn key_reused() -> Refusal {
    let detail = "this key was used with another body; take a new key for a new request";
    Refusal::invalid(
        "idempotency_key_reused",
        "Idempotency-Key",
        detail.to_owned(),
    )
}
