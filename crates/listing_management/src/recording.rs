//! Records a change, its history and its kept answer in one transaction.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use chain::consent::ForeignLinks;
use http::{HeaderName, HeaderValue, StatusCode, header};
use observe::clock::Clock;
use observe::trace;
use serde::Serialize;
use serde_json::Value;
use storage::idempotency::{self, AnswerKey, KeptAnswer};
use storage::proposals::StoredProposal;
use storage::{Storage, StorageError, Write};
use tracing::Instrument as _;
use web::list::Data;
use web::problem::Problem;
use web::refusal::{Class, TOO_MANY_PROPOSALS};

use super::author::Author;
use super::caller::BranchCaller;
use super::quotas;
use super::write_request::{WriteRequest, key_reused};
use crate::ListingManagement;
use crate::limits;
use crate::wire::SuccessAnswer;
use crate::wire::proposal::ProposalResource;

const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// The answer to a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    status: StatusCode,
    body: String,
    location: Option<String>,
}

/// Runs `work` in one transaction. With an `Idempotency-Key`, the same transaction keeps the first
/// answer and repeats it for 24 h (S-52). `work` may run again after a conflict.
///
/// A refusal rolls the transaction back, so that it changes nothing. With a key, a transaction of its
/// own keeps the refusal.
pub async fn record(
    management: &ListingManagement,
    caller: BranchCaller,
    request: WriteRequest,
    work: impl Fn(&mut Write<'_>, &Author<'_>) -> Result<Reply, Problem> + Send + Sync + 'static,
) -> Result<Response, Problem> {
    let quota = match &request.key {
        Some(_key) => quotas::refuse_kept_answer(management, caller.actor()).await?,
        None => None,
    };
    let recording = Arc::new(Recording {
        caller,
        request,
        quota,
        clock: management.clock.clone(),
        foreign_links: management.foreign_links,
        offer_idle_seconds: management.offer_idle_seconds,
        work,
    });
    let done = recording
        .run(&management.storage)
        .instrument(trace::step("store write"))
        .await?;
    if done.is_due {
        management.wake.wake();
    }
    let mut response = done.reply.into_response();
    if done.is_replayed {
        let headers = response.headers_mut();
        headers.insert(REPLAYED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// One write of a caller.
struct Recording<W> {
    caller: BranchCaller,
    request: WriteRequest,
    /// The refusal of one more kept answer.
    quota: Option<Problem>,
    /// Each attempt has its own time, because it may have waited.
    clock: Clock,
    foreign_links: ForeignLinks,
    offer_idle_seconds: i64,
    work: W,
}

/// The answer to a write.
struct Done {
    reply: Reply,
    is_replayed: bool,
    /// Whether lanes have something new.
    is_due: bool,
}

/// The end of a transaction.
enum Ended {
    Done(Done),
    /// The answer is a repetition, and the caller's branches have changed since the first one.
    Repeated(Reply),
}

/// Why a transaction was rolled back.
enum Undone {
    /// The work refused the request.
    Refused(Problem),
    /// The request was not tried, or the store failed.
    Untried(Problem),
}

/// The end of a trial, which is always rolled back.
enum Trial {
    /// The caller may make the call.
    Allowed,
    /// The caller may not, or the store failed.
    Ended(Problem),
}

impl<W> Recording<W>
where
    W: Fn(&mut Write<'_>, &Author<'_>) -> Result<Reply, Problem> + Send + Sync + 'static,
{
    async fn run(self: Arc<Self>, storage: &Storage) -> Result<Done, Problem> {
        let this = Arc::clone(&self);
        match storage.write(move |write| this.attempt(write)).await {
            Ok(Ended::Done(done)) => Ok(done),
            Ok(Ended::Repeated(reply)) => {
                self.refuse_stranger(storage).await?;
                Ok(Done::repeated(reply))
            }
            Err(Undone::Refused(problem)) if self.request.key.is_some() => {
                let reply = Reply::of_refusal(problem)?;
                storage
                    .write(move |write| self.keep_refusal(write, &reply))
                    .await
            }
            Err(Undone::Refused(problem) | Undone::Untried(problem)) => Err(problem),
        }
    }

    fn attempt(&self, write: &mut Write<'_>) -> Result<Ended, Undone> {
        if let Some(kept) = self.find_kept(write)? {
            let reply = replay(&kept, &self.request).map_err(Undone::Untried)?;
            let is_same_caller = kept.branches_digest == Some(self.caller.digest_branches());
            return Ok(if is_same_caller {
                Ended::Done(Done::repeated(reply))
            } else {
                Ended::Repeated(reply)
            });
        }
        if let Some(refusal) = &self.quota {
            return Err(Undone::Untried(refusal.clone()));
        }
        let author = self.author();
        let checked = self.request.check(write, &author);
        checked.map_err(Undone::Untried)?;
        let reply = (self.work)(write, &author).map_err(Undone::Refused)?;
        self.keep(write, &reply)?;
        Ok(Ended::Done(Done {
            reply,
            is_replayed: false,
            is_due: write.has_enqueued(),
        }))
    }

    /// Keeps a refusal, unless the same request was answered meanwhile.
    fn keep_refusal(&self, write: &mut Write<'_>, reply: &Reply) -> Result<Done, Problem> {
        if let Some(kept) = self.find_kept(write)? {
            return Ok(Done::repeated(replay(&kept, &self.request)?));
        }
        self.keep(write, reply)?;
        Ok(Done {
            reply: reply.clone(),
            is_replayed: false,
            is_due: false,
        })
    }

    /// Refuses the repetition of an answer to a caller who may not make the call any more. This tries
    /// the call and rolls it back.
    async fn refuse_stranger(self: &Arc<Self>, storage: &Storage) -> Result<(), Problem> {
        let this = Arc::clone(self);
        let trying = storage.write(move |write| match (this.work)(write, &this.author()) {
            // The first call may have removed the listing, so 404 says nothing about rights.
            Err(Problem::Refused(refusal)) if refusal.class == Class::Forbidden => {
                Err::<(), _>(Trial::Ended(refusal.into()))
            }
            Ok(_) | Err(_) => Err(Trial::Allowed),
        });
        match trying.await {
            Err(Trial::Ended(problem)) => Err(problem),
            Ok(()) | Err(Trial::Allowed) => Ok(()),
        }
    }

    fn author(&self) -> Author<'_> {
        let now_milliseconds = self.clock.now_milliseconds();
        Author {
            caller: &self.caller,
            now: now_milliseconds / 1000,
            now_milliseconds,
            foreign_links: self.foreign_links,
            offer_idle_seconds: self.offer_idle_seconds,
        }
    }

    /// `None` without an `Idempotency-Key`.
    fn answer_key(&self) -> Option<AnswerKey<'_>> {
        Some(AnswerKey {
            client_id: self.caller.actor(),
            path: &self.request.path,
            key: self.request.key.as_deref()?,
        })
    }

    fn find_kept(&self, write: &mut Write<'_>) -> Result<Option<KeptAnswer>, StorageError> {
        match self.answer_key() {
            Some(key) => idempotency::find_answer(write, &key, self.clock.now_seconds()),
            None => Ok(None),
        }
    }

    fn keep(&self, write: &mut Write<'_>, reply: &Reply) -> Result<(), StorageError> {
        let Some(key) = self.answer_key() else {
            return Ok(());
        };
        let kept = KeptAnswer {
            body_digest: self.request.digest.clone(),
            status: i64::from(reply.status.as_u16()),
            body: reply.body.clone(),
            branches_digest: Some(self.caller.digest_branches()),
        };
        let expires_at = self.clock.now_seconds() + limits::IDEMPOTENCY_SECONDS;
        idempotency::keep_answer(write, &key, &kept, expires_at)
    }
}

impl Done {
    fn repeated(reply: Reply) -> Self {
        Self {
            reply,
            is_replayed: true,
            is_due: false,
        }
    }
}

impl From<StorageError> for Undone {
    fn from(error: StorageError) -> Self {
        Self::Untried(error.into())
    }
}

impl From<StorageError> for Trial {
    fn from(error: StorageError) -> Self {
        Self::Ended(error.into())
    }
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
        // The same request may succeed once there is room.
        if matches!(&problem, Problem::Refused(refusal) if refusal.code == TOO_MANY_PROPOSALS) {
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
